import type { StreamWriter } from '../core/stream.js';
import type { InstancesComponent } from './instances-component.js';

/** Instances of a world: their nodes come before their transforms, and their colours behind their primitives. */
export class InstanceUpdates {
  readonly all = new Set<InstancesComponent>();

  /** Per frame, behind the nodes of components. */
  sendNodes(writer: StreamWriter): void {
    for (const component of this.all) component.sendNodes(writer);
  }

  /** Per frame, behind the primitives. */
  sendColors(writer: StreamWriter): void {
    for (const component of this.all) component.sendColors(writer);
  }

  /** Other threads take over, which know nothing yet. */
  resend(): void {
    for (const component of this.all) component.forgetSent();
  }
}

import type { StreamWriter } from '../core/stream.js';
import type { InstancesComponent } from './instances-component.js';

/** Places of instances that the render side does not know yet: their nodes come before their transforms. */
export class InstanceUpdates {
  readonly #all = new Set<InstancesComponent>();
  readonly #grown = new Set<InstancesComponent>();

  /** It is in the world now, or has more places than before. */
  add(component: InstancesComponent): void {
    this.#all.add(component);
    this.#grown.add(component);
  }

  remove(component: InstancesComponent): void {
    this.#all.delete(component);
    this.#grown.delete(component);
  }

  /** Per frame, behind the nodes of components. */
  sendNodes(writer: StreamWriter): void {
    if (this.#grown.size === 0) return;
    for (const component of this.#grown) component.sendNodes(writer);
    this.#grown.clear();
  }

  /** Other threads take over, which know nothing yet. */
  resend(): void {
    for (const component of this.#all) {
      component.forgetSent();
      this.#grown.add(component);
    }
  }
}

import type { RenderCommandHandler } from '../render-module-api.js';
import type { LoadModule } from '../render-module-messages.js';

/** A render module of which the render thread has the code: what it has defined, and how far it is. */
export class LoadedModule {
  readonly load: LoadModule;
  readonly handlers = new Map<string, RenderCommandHandler>();
  /** Called when it is removed. */
  readonly endings: (() => void)[] = [];
  /** Of its commands, in the order of definition; there when it has set itself up. */
  names: readonly string[] = [];
  isSettingUp = false;
  isRemoved = false;

  constructor(load: LoadModule) {
    this.load = load;
  }
}

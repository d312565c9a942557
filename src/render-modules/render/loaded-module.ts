import type { RenderCommandHandler } from '../render-module-api.js';
import type { LoadModule } from '../render-module-messages.js';

/** A render module on the render thread: its state and its handlers. */
export class LoadedModule {
  readonly load: LoadModule;
  readonly handlers = new Map<string, RenderCommandHandler>();
  /** Functions to call when the module is removed. */
  readonly endings: (() => void)[] = [];
  /** Names of the module's commands, in the order of definition; empty until the set-up has ended. */
  names: readonly string[] = [];
  isSettingUp = false;
  isRemoved = false;

  constructor(load: LoadModule) {
    this.load = load;
  }
}

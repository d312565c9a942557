import type { RenderCommandHandler } from '../render-module-api.js';
import type { LoadModule } from '../render-module-messages.js';

/** A render module on the render thread: its state and its handlers. */
export class LoadedModule {
  readonly load: LoadModule;
  readonly handlers = new Map<string, RenderCommandHandler>();
  /** Callbacks for its removal. */
  readonly endings: (() => void)[] = [];
  /** Names of its commands, in the order of definition; empty until the set-up has ended. */
  names: readonly string[] = [];
  isSettingUp = false;
  isRemoved = false;

  constructor(load: LoadModule) {
    this.load = load;
  }
}

/**
 * Code of an executor that is at hand, or that is loaded when a list needs it. The record that needs it is held until the
 * code is there, so that nothing overtakes it.
 *
 *   record ─► use() ─┬─ the code is there ─► executed
 *                    ├─ it can be waited for ─► loaded, the record is held ─► use() again
 *                    └─ the list has used the surface's texture ─► `command-not-loaded`
 */
import { RhiError } from '../../core/errors.js';
import type { ExecutorParts } from './parts.js';

/** A module that is at hand, or how it is loaded. */
export type CodeSource<Module> = Module | (() => Promise<Module>);

export class OnDemand<Module, Code> {
  /** Null: nothing has needed it yet, and it is not loaded. */
  code: Code | null = null;
  readonly #parts: ExecutorParts;
  readonly #source: CodeSource<Module>;
  readonly #create: (module: Module) => Code;
  /** Why it could not be loaded, for the record that is held. */
  #error: unknown = null;

  /** @param create what the executor uses, of the module; called once */
  constructor(parts: ExecutorParts, source: CodeSource<Module>, create: (module: Module) => Code) {
    this.#parts = parts;
    this.#source = source;
    this.#create = create;
    if (typeof source !== 'function') this.code = create(source);
  }

  /** Rejects where it can't be loaded; the next call tries again. */
  async load(): Promise<Code> {
    if (this.code === null) {
      const module = await (this.#source as () => Promise<Module>)();
      // Another call may have been faster.
      this.code ??= this.#create(module);
    }
    return this.code;
  }

  /**
   * For the current record. Null: it is held until the code is there, or left out because everything ends.
   * @throws what has kept it from being loaded; RhiError `command-not-loaded` where the list can't wait
   */
  use(): Code | null {
    const { host, viewport } = this.#parts;
    if (this.code !== null || host.isDisposing) return this.code;
    const error = this.#error;
    this.#error = null;
    if (error !== null) throw error;
    if (viewport.isAcquired) {
      throw new RhiError(
        'command-not-loaded',
        'The code of a command is not loaded yet, and the list has used the surface’s texture, which does not live that long. Record the first such command before the first pass that draws to the viewport.',
      );
    }
    const load = this.load().catch((cause: unknown) => {
      this.#error = cause;
    });
    host.hold(load);
    return null;
  }
}

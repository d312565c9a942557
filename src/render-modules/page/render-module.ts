import { OptionError, SceneError, ThreadError } from '../../core/errors.js';
import type { Actor } from '../../game/components/actor.js';
import type { RenderCommandData } from '../render-module-messages.js';
import type { RenderWork } from './render-work.js';

/** Arguments of `send` after the command's name: the data. Data whose type includes undefined can be omitted. */
type DataOf<Data> = undefined extends Data ? [data?: Data] : [data: Data];

/**
 * The game's handle to a render module, which `addRenderModule` returns. `send` copies a command into the next frame,
 * where it is executed after the frame's changes of the scene and before the drawing.
 *
 * `Commands` names the module's commands with the types of their data. By default, every name and data is valid.
 */
export class RenderModule<Commands extends object = Record<string, RenderCommandData>> {
  readonly name: string;
  /** Absolute URL of the module. */
  readonly url: string;
  isRemoved = false;
  /** @internal */
  readonly number: number;
  /** @internal */
  readonly data: unknown;
  /** @internal Names of the module's commands, in the order of definition. */
  commands: readonly string[] = [];
  /** @internal */
  readonly restorations = new Set<() => void>();
  /** @internal */
  readonly messages = new Set<(value: unknown) => void>();
  readonly #work: RenderWork;

  /** @internal use `engine.addRenderModule` */
  constructor(work: RenderWork, number: number, name: string, url: string, data: unknown) {
    this.#work = work;
    this.number = number;
    this.name = name;
    this.url = url;
    this.data = data;
  }

  /**
   * Sends a command that the module has defined. It is executed once, in the order of all sent commands, even if other
   * threads take over meanwhile.
   * @param data JSON data, an ArrayBuffer or a view of one, at most 16 MiB; it is copied
   * @throws StateError `render-command-unknown`, `render-module-removed`, `engine-disposed`; ThreadError
   *   `wrong-thread`, `blocked-on-render-thread`; OptionError `option-invalid`
   */
  send<Name extends keyof Commands & string>(name: Name, ...[data]: DataOf<Commands[Name]>): void {
    this.#work.send(this, name, data as RenderCommandData);
  }

  /**
   * Returns the number by which the module's API identifies an actor.
   * @throws SceneError `actor-of-another-world`, `actor-destroyed`; OptionError `option-invalid`; ThreadError
   *   `wrong-thread`
   */
  idOf(actor: Actor): number {
    this.#work.checkThread('idOf()', this);
    if (actor?.world === undefined) {
      throw new OptionError('option-invalid', `idOf takes an actor, not ${String(actor)}.`);
    }
    if (actor.isDestroyed) {
      throw new SceneError(
        'actor-destroyed',
        `"${actor.name}" is destroyed and has no number any more. Call idOf() before destroy(), and send the module a command to drop the number.`,
      );
    }
    if (actor.world !== this.#work.world) {
      throw new SceneError(
        'actor-of-another-world',
        `"${actor.name}" is not in the world of the engine that has the render module "${this.name}". Spawn it there, or send it to a module of its own engine.`,
      );
    }
    return actor.root.node;
  }

  /** Registers a callback for the values that the module posts. @returns a function that removes the callback */
  onMessage(callback: (value: unknown) => void): () => void {
    this.messages.add(callback);
    return () => this.messages.delete(callback);
  }

  /**
   * Registers a callback, called when the module has been loaded again because other threads have taken over. The
   * module's memory may be lost. Commands sent in the callback are executed after the pending commands.
   * @returns a function that removes the callback
   */
  onRestored(callback: () => void): () => void {
    this.restorations.add(callback);
    return () => this.restorations.delete(callback);
  }

  /** Removes the module after its pending commands. @throws ThreadError `wrong-thread`; StateError `engine-disposed` */
  remove(): void {
    this.#work.remove(this);
  }
}

/** A module with commands of any types. */
export type AnyRenderModule = Omit<RenderModule, 'send'>;

/** Creates the error of a call of the game's API on another thread. */
export function wrongThread(call: string, module: AnyRenderModule | null, current: string): ThreadError {
  const of = module ? ` of the render module "${module.name}"` : '';
  return new ThreadError(
    'wrong-thread',
    `${call}${of} belongs to the thread "main"; it was called on the thread "${current}", inside a command or a frame callback. Use the module's own API there: api.send() executes at once.`,
  );
}

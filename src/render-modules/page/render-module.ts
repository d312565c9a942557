import { OptionError, SceneError, ThreadError } from '../../core/errors.js';
import type { Actor } from '../../game/components/actor.js';
import type { RenderCommandData } from '../render-module-messages.js';
import type { RenderWork } from './render-work.js';

/**
 * A render module as the game sees it: what `addRenderModule` resolves to. Commands are copied when they are sent; they
 * go with the next frame, after its changes of the scene and before it is drawn.
 */
export class RenderModule {
  readonly name: string;
  /** Absolute. */
  readonly url: string;
  isRemoved = false;
  /** @internal */
  readonly number: number;
  /** @internal */
  readonly data: unknown;
  /** @internal What it can be sent, in the order of definition. */
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
   * Sends a command that the module has defined. It is executed once, in order with all others that are sent, also when
   * other threads take over meanwhile.
   * @param data copied: what JSON can say, an ArrayBuffer or a view of one; at most 16 MiB
   * @throws StateError `render-command-unknown`, `render-module-removed`; ThreadError `wrong-thread`; OptionError `option-invalid`
   */
  send(name: string, data?: RenderCommandData): void {
    this.#work.send(this, name, data);
  }

  /**
   * The number by which the module calls an actor.
   * @throws SceneError `actor-of-another-world`, `actor-destroyed`; OptionError `option-invalid`
   */
  idOf(actor: Actor): number {
    this.#work.checkThread('idOf()', this);
    if (actor?.world === undefined) {
      throw new OptionError('option-invalid', `idOf takes an actor, not ${String(actor)}.`);
    }
    if (actor.isDestroyed) {
      throw new SceneError(
        'actor-destroyed',
        `"${actor.name}" is destroyed, and has no number any more. Ask before, and tell the module to take it back.`,
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

  /** Calls back with what the module posts. @returns a function that ends it */
  onMessage(callback: (value: unknown) => void): () => void {
    this.messages.add(callback);
    return () => this.messages.delete(callback);
  }

  /**
   * Calls back when the module was loaded again, because other threads have taken over: what it had in memory may be
   * gone. What is sent here comes after what had not been executed before. @returns a function that ends it
   */
  onRestored(callback: () => void): () => void {
    this.restorations.add(callback);
    return () => this.restorations.delete(callback);
  }

  /** Removes the module, in order with its commands. */
  remove(): void {
    this.#work.remove(this);
  }
}

/** The error of a call that belongs to the game. */
export function wrongThread(call: string, module: RenderModule | null, current: string): ThreadError {
  const of = module ? ` of the render module "${module.name}"` : '';
  return new ThreadError(
    'wrong-thread',
    `${call}${of} belongs to the thread "main"; it was called on the thread "${current}", inside a command or a frame callback. Use what the module was given there: api.send() executes at once.`,
  );
}

import { StateError } from '../../core/errors.js';
import { STAYS_HERE } from './stays-here.js';

/** By the error that says so: whose result was asked for while it was under way. */
const underWay = /* @__PURE__ */ new WeakMap<object, StartedTask>();

/**
 * Whose result a task has asked for that comes as a message, of which its thread hears in its event loop alone. A task that lets
 * the error through fails with what the awaited one has thrown, as soon as that has come.
 * @param thrown anything, also what can't be looked into
 */
export function awaitedBy(thrown: unknown): StartedTask | undefined {
  return underWay.get(thrown as object);
}

/**
 * A task that another task has started, as that one sees it: a promise of its result. Where it runs is nobody's business.
 *
 *   started ─ its prerequisites are done ─► queued ─► done │ failed
 */
export class StartedTask<T = unknown> implements PromiseLike<T> {
  /** @internal */
  readonly staysHere = STAYS_HERE;
  readonly name: string;
  readonly #promise: Promise<T>;
  #resolve!: (value: T) => void;
  #reject!: (error: unknown) => void;
  #outcome: { readonly value: T } | { readonly error: unknown } | null = null;
  /** It waits for others, and nobody can run it yet. */
  isHeld = false;

  constructor(name: string) {
    this.name = name;
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isSettled(): boolean {
    return this.#outcome !== null;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like a promise.
  then<Value = T, Other = never>(
    onDone?: ((value: T) => Value | PromiseLike<Value>) | null,
    onFailed?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.#promise.then(onDone, onFailed);
  }

  catch<Other>(onFailed: (error: unknown) => Other | PromiseLike<Other>): Promise<T | Other> {
    return this.#promise.catch(onFailed);
  }

  /** The result, or what it threw. @throws StateError `task-not-settled` */
  get result(): T {
    const outcome = this.#outcome;
    if (!outcome) {
      const error = new StateError(
        'task-not-settled',
        `The task ${this.name} has not ended, or what it came to comes by message. Await it.`,
      );
      underWay.set(error, this as StartedTask<unknown>);
      throw error;
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** @internal */
  resolve(value: T): void {
    if (this.#outcome) return;
    this.#outcome = { value };
    this.#resolve(value);
  }

  /** @internal */
  fail(error: unknown): void {
    if (this.#outcome) return;
    this.#outcome = { error };
    this.#reject(error);
  }

  /** @internal Nobody waits for it. */
  silence(): void {
    this.#promise.catch(() => {});
  }
}

import { StateError } from '../../core/errors.js';
import { STAYS_HERE } from './awaitable.js';

/** Tasks whose result was read before it had arrived, by the error that the read threw. */
const readTooEarly = /* @__PURE__ */ new WeakMap<object, StartedTask>();

/**
 * Returns the task whose result was read too early, if `thrown` is the error of that read. The result arrives by
 * message, which only the event loop receives. A reader that doesn't catch the error fails with the awaited task's
 * error, once that has arrived.
 * @param thrown any value, also one whose properties can't be read
 */
export function awaitedBy(thrown: unknown): StartedTask | undefined {
  return readTooEarly.get(thrown as object);
}

/**
 * A task that another task has started: a promise of its result, wherever it runs.
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
  /** True while the task waits for its prerequisites, so that no thread can run it yet. */
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

  /** The task's result. @throws the task's error; StateError `task-not-settled` before it has arrived */
  get result(): T {
    const outcome = this.#outcome;
    if (!outcome) {
      const error = new StateError(
        'task-not-settled',
        `The task ${this.name} has not ended, or its result comes by message. Await it.`,
      );
      readTooEarly.set(error, this as StartedTask<unknown>);
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

  /** @internal Marks the promise as handled: its rejection is not reported as unhandled. */
  silence(): void {
    this.#promise.catch(() => {});
  }
}

import { StateError } from '../../core/errors.js';
import { Awaitable, Outcome } from './awaitable.js';

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
export class StartedTask<T = unknown> extends Awaitable<T> {
  readonly name: string;
  readonly #outcome = new Outcome<T>();
  #end: { readonly value: T } | { readonly error: unknown } | null = null;
  /** True while the task waits for its prerequisites, so that no thread can run it yet. */
  isHeld = false;

  constructor(name: string) {
    super();
    this.name = name;
  }

  get isSettled(): boolean {
    return this.#end !== null;
  }

  /** @internal */
  promised(): Promise<T> {
    return this.#outcome.promise;
  }

  /** The task's result. @throws the task's error; StateError `task-not-settled` before it has arrived */
  get result(): T {
    const end = this.#end;
    if (!end) {
      const error = new StateError(
        'task-not-settled',
        `The task ${this.name} has not ended, or its result comes by message. Await it.`,
      );
      readTooEarly.set(error, this as StartedTask<unknown>);
      throw error;
    }
    if ('error' in end) throw end.error;
    return end.value;
  }

  /** @internal */
  resolve(value: T): void {
    if (this.#end) return;
    this.#end = { value };
    this.#outcome.resolve(value);
  }

  /** @internal */
  fail(error: unknown): void {
    if (this.#end) return;
    this.#end = { error };
    this.#outcome.reject(error);
  }

  /** @internal Marks the promise as handled: its rejection is not reported as unhandled. */
  silence(): void {
    this.#outcome.silence();
  }
}

import { StateError } from '../core/errors.js';
import { STAYS_HERE } from './stays-here.js';

/**
 * Thrown where the result that a task asks for is under way as a message, which its thread hears of in its event loop alone. A task
 * that lets it through fails with what the awaited one has thrown, as soon as that has come.
 */
export class ResultUnderWay extends StateError {
  readonly awaited: PromiseLike<unknown>;

  constructor(awaited: PromiseLike<unknown> & { readonly name: string }) {
    super(
      'task-not-settled',
      `The task ${awaited.name} has not ended, or what it came to comes by message. Await it.`,
    );
    this.awaited = awaited;
  }
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
    if (!outcome) throw new ResultUnderWay(this);
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

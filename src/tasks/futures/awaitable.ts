/**
 * The base of everything that code awaits: futures, their shared views, events, and tasks that a task has started
 * (SYSTEMS T7). They differ in how they settle, and not in how code waits for them.
 *
 *   await, then, catch, finally, waitUntil ─► promised() ─► the promise of the result
 *                                                 └─ the first wait launches a deferred task
 */
import { OptionError } from '../../core/errors.js';
import { systemClock, withDeadline } from '../../sync/deadline.js';

/** Returns whether the value can be awaited: a promise, a future, or any other object with a `then` method. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

/**
 * The value of the property `staysHere` of futures. Symbols can't be cloned, so structured clones reject
 * futures as they reject promises. Otherwise a task would receive a plain object `{ name }`. The error's
 * message contains the description of the symbol.
 */
const STAYS_HERE = Symbol(
  'a future, which stays on its thread: pass its result, or name it among the prerequisites',
);
/** The value of the property `staysHere` of counters. */
export const COUNTER_STAYS = Symbol('a counter, which stays on its thread: pass its `place`');

/** A promise with its resolver. */
export class Outcome<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Marks the promise as handled: its rejection is not reported as unhandled. */
  silence(): void {
    this.promise.catch(() => {});
  }
}

export abstract class Awaitable<T> implements PromiseLike<T> {
  /** @internal */
  readonly staysHere = STAYS_HERE;

  /** Name of the task or event, for messages. */
  abstract get name(): string;

  /** The name preceded by its kind, such as "the task fill", for messages. */
  protected get described(): string {
    return `the task ${this.name}`;
  }

  /** @internal Returns the promise of the result. Called when code begins to wait. */
  abstract promised(): Promise<T>;

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like a promise.
  then<Value = T, Other = never>(
    onDone?: ((value: T) => Value | PromiseLike<Value>) | null,
    onFailed?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.promised().then(onDone, onFailed);
  }

  catch<Other>(onFailed: (error: unknown) => Other | PromiseLike<Other>): Promise<T | Other> {
    return this.promised().catch(onFailed);
  }

  finally(onSettled: () => void): Promise<T> {
    return this.promised().finally(onSettled);
  }

  /**
   * Waits for the result until a deadline. The task continues after the deadline.
   * @param deadline time of `performance.now()`, in milliseconds
   * @returns rejects with ThreadError `wait-timed-out`; OptionError `option-invalid` if the deadline is not a number
   */
  async waitUntil(deadline: number): Promise<T> {
    if (typeof deadline !== 'number' || Number.isNaN(deadline)) {
      throw new OptionError(
        'option-invalid',
        `The deadline of waitUntil() is ${String(deadline)}; it has to be a time of performance.now().`,
      );
    }
    return withDeadline(this.promised(), {
      milliseconds: Math.max(0, deadline - systemClock.now()),
      waiter: 'The caller',
      awaited: this.described,
    });
  }
}

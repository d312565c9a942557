import { systemClock, withDeadline } from '../sync/deadline.js';

/** How far a task is. `cancelled`: it will not run, or nobody waits for its end any more. */
export type TaskState = 'waiting' | 'queued' | 'running' | SettledState;

export type SettledState = 'done' | 'failed' | 'cancelled';

/**
 * What a task comes to. It is a promise to whoever awaits it, and a prerequisite of other tasks (SYSTEMS T7).
 *
 *   waiting ─ prerequisites ─► queued ─ a worker is free ─► running ─► done │ failed
 *      └──────────────────────────┴────────── cancel() ────────┴────────► cancelled
 */
export class TaskFuture<T = unknown> implements PromiseLike<T> {
  /** The task, with its module: for messages. */
  readonly name: string;
  readonly #promise: Promise<T>;
  #resolve!: (value: T) => void;
  #reject!: (error: unknown) => void;
  #state: TaskState = 'waiting';
  readonly #onSettled: (state: SettledState) => void;

  /** @internal @param onSettled called once, at the call that settles it */
  constructor(name: string, onSettled: (state: SettledState) => void) {
    this.name = name;
    this.#onSettled = onSettled;
    this.#promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get state(): TaskState {
    return this.#state;
  }

  /** It is done, failed or cancelled. */
  get isSettled(): boolean {
    return this.#state === 'done' || this.#state === 'failed' || this.#state === 'cancelled';
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

  finally(onSettled: () => void): Promise<T> {
    return this.#promise.finally(onSettled);
  }

  /**
   * The result, or a rejection with ThreadError `wait-timed-out`. The task goes on.
   * @param deadline a point on the clock of `performance.now()`, milliseconds
   */
  waitUntil(deadline: number): Promise<T> {
    return withDeadline(this.#promise, {
      milliseconds: deadline - systemClock.now(),
      waiter: 'The caller',
      awaited: `the task ${this.name}`,
    });
  }

  /**
   * A task that has not begun will not; the result of one that has is dropped. Tasks that wait for it are cancelled.
   * @param reason the promise rejects with it; default: an `AbortError`
   * @returns false when the task had settled before
   */
  cancel(reason: unknown = new DOMException(`The task ${this.name} was cancelled.`, 'AbortError')): boolean {
    // Who has cancelled it need not hear of it again; a task that fails is told to the page if nobody listens.
    this.#promise.catch(() => {});
    return this.#settle('cancelled', () => this.#reject(reason));
  }

  /** @internal */
  advance(state: 'queued' | 'running'): void {
    if (!this.isSettled) this.#state = state;
  }

  /** @internal */
  resolve(value: T): boolean {
    return this.#settle('done', () => this.#resolve(value));
  }

  /** @internal */
  fail(error: unknown): boolean {
    return this.#settle('failed', () => this.#reject(error));
  }

  #settle(state: SettledState, tell: () => void): boolean {
    if (this.isSettled) return false;
    this.#state = state;
    tell();
    this.#onSettled(state);
    return true;
  }
}

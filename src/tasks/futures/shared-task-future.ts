import { STAYS_HERE } from './stays-here.js';
import type { TaskFuture, TaskState } from './task-future.js';
import type { Awaited as AwaitedTask } from './task-gate.js';

/** A read-only view of a task's future, for code that only waits for it. */
export class SharedTaskFuture<T = unknown> implements PromiseLike<T> {
  /** @internal */
  readonly staysHere = STAYS_HERE;
  readonly #future: TaskFuture<T>;

  /** @internal Use `future.share()`. */
  constructor(future: TaskFuture<T>) {
    this.#future = future;
  }

  get name(): string {
    return this.#future.name;
  }

  get state(): TaskState {
    return this.#future.state;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like a promise.
  then<Value = T, Other = never>(
    onDone?: ((value: T) => Value | PromiseLike<Value>) | null,
    onFailed?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.#future.then(onDone, onFailed);
  }

  catch<Other>(onFailed: (error: unknown) => Other | PromiseLike<Other>): Promise<T | Other> {
    return this.#future.catch(onFailed);
  }

  finally(onSettled: () => void): Promise<T> {
    return this.#future.finally(onSettled);
  }

  /** Waits like `TaskFuture.waitUntil`. */
  waitUntil(deadline: number): Promise<T> {
    return this.#future.waitUntil(deadline);
  }

  /** @internal */
  get node(): AwaitedTask {
    return this.#future;
  }
}

import { STAYS_HERE } from './stays-here.js';
import { TaskFuture } from './task-future.js';
import type { Awaited as AwaitedTask } from './task-gate.js';

/**
 * Something that happens once, by somebody's word and not by a task of its own: a prerequisite that tasks can have before
 * anybody knows what will fulfil it. It is a promise with its resolver as well (SYSTEMS T1, T7).
 *
 *   waiting ─ trigger(), and its prerequisites are done ─► done
 *      └──── fail(), cancel(), a prerequisite failed ────► failed │ cancelled
 */
export class TaskEvent<T = void> implements PromiseLike<T> {
  /** @internal */
  readonly staysHere = STAYS_HERE;
  readonly #future: TaskFuture<T>;
  #value: T | undefined;

  /** @internal Use `tasks.event()`. @param onSettled called once */
  constructor(name: string, onSettled: () => void) {
    this.#future = new TaskFuture<T>(
      `the event "${name}"`,
      () => this.#future.resolve(this.#value as T),
      onSettled,
    );
    this.#future.silence();
  }

  get name(): string {
    return this.#future.name;
  }

  get state(): TaskFuture['state'] {
    return this.#future.state;
  }

  get isSettled(): boolean {
    return this.#future.isSettled;
  }

  /**
   * It has happened; who waits for it goes on, once the event's own prerequisites are done.
   * @returns false when it had been triggered, or had failed, before
   */
  trigger(...[value]: undefined extends T ? [value?: T] : [value: T]): boolean {
    if (!this.#future.isHeld) return false;
    this.#value = value;
    this.#future.unlock();
    return true;
  }

  /** It will not happen: tasks that wait for it are cancelled, with the error as the cause. */
  fail(error: unknown): boolean {
    return this.#future.fail(error);
  }

  cancel(reason: unknown = new DOMException(`${sentence(this.name)} was cancelled.`, 'AbortError')): boolean {
    return this.#future.cancel(reason);
  }

  /** It does not count as happened before the other one is done. @throws StateError `task-not-held`; TaskError `task-cycle` */
  addPrerequisite(other: PromiseLike<unknown>): void {
    this.#future.addPrerequisite(other);
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

  /** As `TaskFuture.waitUntil`. */
  waitUntil(deadline: number): Promise<T> {
    return this.#future.waitUntil(deadline);
  }

  /** @internal */
  get node(): AwaitedTask {
    return this.#future;
  }

  /** @internal The end of this task triggers it. @throws TaskError `task-cycle` */
  triggeredBy(task: TaskFuture<unknown>): void {
    this.#future.triggeredBy(task);
  }
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

import { Awaitable } from './awaitable.js';
import { TaskFuture } from './task-future.js';
import type { Awaited as AwaitedTask } from './task-gate.js';

/**
 * An event that happens once, when code triggers it (SYSTEMS T1, T7). Tasks can name it as a prerequisite before the
 * code that will trigger it is known. An event is also a promise with its resolver.
 *
 *   waiting ─ trigger(), and its prerequisites are done ─► done
 *      └──── fail(), cancel(), a prerequisite failed ────► failed │ cancelled
 */
export class TaskEvent<T = void> extends Awaitable<T> {
  readonly #future: TaskFuture<T>;
  #value: T | undefined;

  /** @internal Use `tasks.event()`. @param onSettled called once */
  constructor(name: string, onSettled: () => void) {
    super();
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

  protected override get described(): string {
    return this.name;
  }

  get state(): TaskFuture['state'] {
    return this.#future.state;
  }

  get isSettled(): boolean {
    return this.#future.isSettled;
  }

  /**
   * Triggers the event. Its waiters continue once the event's own prerequisites are done.
   * @returns false if the event was triggered, or had failed, before
   */
  trigger(...[value]: undefined extends T ? [value?: T] : [value: T]): boolean {
    if (!this.#future.isHeld) return false;
    this.#value = value;
    this.#future.unlock();
    return true;
  }

  /** Fails the event: tasks that wait for it are cancelled, with the error as the cause. */
  fail(error: unknown): boolean {
    return this.#future.fail(error);
  }

  cancel(reason: unknown = new DOMException(`${sentence(this.name)} was cancelled.`, 'AbortError')): boolean {
    return this.#future.cancel(reason);
  }

  /**
   * Adds a prerequisite: the event is not done before `other` is done.
   * @throws StateError `task-not-held`; OptionError `option-invalid`; TaskError `task-cycle`
   */
  addPrerequisite(other: PromiseLike<unknown>): void {
    this.#future.addPrerequisite(other);
  }

  /** @internal */
  promised(): Promise<T> {
    return this.#future.promised();
  }

  /** @internal */
  get node(): AwaitedTask {
    return this.#future;
  }

  /** @internal Registers that the end of this task triggers the event. @throws TaskError `task-cycle` */
  triggeredBy(task: TaskFuture<unknown>): void {
    this.#future.triggeredBy(task);
  }
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

import { OptionError, StateError } from '../../core/errors.js';
import { systemClock, withDeadline } from '../../sync/deadline.js';
import { isPromise } from '../is-promise.js';
import { prerequisiteFailed } from '../task-errors.js';
import { SharedTaskFuture } from './shared-task-future.js';
import { STAYS_HERE } from './stays-here.js';
import { type Awaited as AwaitedTask, dispatch, Gate, refuseCycle, type Subsequent } from './task-gate.js';

/** How far a task is. `cancelled`: it will not run, or nobody waits for its end any more. */
export type TaskState = 'waiting' | 'queued' | 'running' | SettledState;

export type SettledState = 'done' | 'failed' | 'cancelled';

/**
 * What a task comes to. It is a promise to whoever awaits it, and a prerequisite of other tasks (SYSTEMS T1, T7).
 *
 *   waiting ─ unlocked, prerequisites ─► queued ─ a worker is free ─► running ─ what it waits for ─► done │ failed
 *      └──────────────────────────────────┴────────── cancel() ────────┴─────────────────────────► cancelled
 */
export class TaskFuture<T = unknown> implements PromiseLike<T> {
  /** @internal */
  readonly staysHere = STAYS_HERE;
  /** The task, with its module: for messages. */
  readonly name: string;
  readonly #promise: Promise<T>;
  #resolve!: (value: T) => void;
  #reject!: (error: unknown) => void;
  #state: TaskState = 'waiting';
  #isHeld = true;
  #failure: { readonly reason: unknown } | null = null;
  #progress = 0;
  /** @internal That it takes long has been told. */
  isToldSlow = false;
  readonly #subsequents: Subsequent[] = [];
  readonly #start: Gate;
  /** What it must not complete before; made with the first. */
  #completion: Gate | null = null;
  /** Tasks whose end triggers it. */
  readonly #triggers = new Set<AwaitedTask>();
  /** Where its parts lie, of which this thread is told nothing before they end. */
  readonly #places: { isRunning(): boolean; retract(): void }[] = [];
  readonly #onSettled: (state: SettledState) => void;

  /**
   * It is held, and may get prerequisites, until `unlock`.
   *
   * @internal
   * @param onReady called when it may begin
   * @param onSettled called once, at the call that settles it
   */
  constructor(name: string, onReady: () => void, onSettled: (state: SettledState) => void) {
    this.name = name;
    this.#onSettled = onSettled;
    this.#start = new Gate(
      () => {
        if (!this.isSettled) onReady();
      },
      (cause) => {
        const reason = prerequisiteFailed(this, cause);
        this.#settle('cancelled', { reason }, () => this.#reject(reason));
      },
    );
    this.#promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get state(): TaskState {
    if (this.#state === 'queued' && this.#places.some(({ isRunning }) => isRunning()))
      this.#state = 'running';
    return this.#state;
  }

  /** It is done, failed or cancelled. */
  get isSettled(): boolean {
    return this.#state === 'done' || this.#state === 'failed' || this.#state === 'cancelled';
  }

  /** It was asked for with `hold`, and has not been unlocked. */
  get isHeld(): boolean {
    return this.#isHeld && !this.isSettled;
  }

  /** How far it is, from 0 to 1, as the task itself says (`task.progress`). */
  get progress(): number {
    return this.#state === 'done' ? 1 : this.#progress;
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
   * @returns rejects with OptionError `option-invalid` too, for what is no number
   */
  async waitUntil(deadline: number): Promise<T> {
    if (typeof deadline !== 'number' || Number.isNaN(deadline)) {
      throw new OptionError(
        'option-invalid',
        `The deadline of waitUntil() is ${String(deadline)}; it has to be a time of performance.now().`,
      );
    }
    return withDeadline(this.#promise, {
      milliseconds: Math.max(0, deadline - systemClock.now()),
      waiter: 'The caller',
      awaited: `the task ${this.name}`,
    });
  }

  /** The same for others: they await it, and name it as a prerequisite, but can't cancel or unlock it. */
  share(): SharedTaskFuture<T> {
    return new SharedTaskFuture(this);
  }

  /**
   * A task that has not begun will not; the result of one that has is dropped. Tasks that wait for it are cancelled.
   * @param reason the promise rejects with it; default: an `AbortError`
   * @returns false when the task had settled before
   */
  cancel(reason: unknown = new DOMException(`The task ${this.name} was cancelled.`, 'AbortError')): boolean {
    // Who has cancelled it need not hear of it again; a task that fails is told to the page if nobody listens.
    this.#promise.catch(() => {});
    return this.#settle('cancelled', { reason }, () => this.#reject(reason));
  }

  /** Lets a held task begin, as soon as its prerequisites are done. @throws StateError `task-not-held` */
  unlock(): void {
    this.#checkHeld('unlocked');
    this.#isHeld = false;
    this.#start.release();
  }

  /**
   * One more prerequisite of a held task.
   * @throws StateError `task-not-held`; TaskError `task-cycle`
   */
  addPrerequisite(other: PromiseLike<unknown>): void {
    this.#checkHeld('given another prerequisite');
    if (!isPromise(other))
      throw new OptionError('option-invalid', `A prerequisite of ${this.name} is no future and no promise.`);
    refuseCycle(this, other);
    this.#start.add(other);
  }

  /**
   * A running task does not complete before the other one has. If that fails, so does this one.
   * @throws StateError `task-not-running`; TaskError `task-cycle`
   */
  doNotCompleteUntil(other: PromiseLike<unknown>): void {
    const { state } = this;
    if (state !== 'running') {
      throw new StateError(
        'task-not-running',
        `${this.name} is ${state}: only a task that is running can put off its completion. Give a prerequisite instead.`,
      );
    }
    refuseCycle(this, other);
    this.#completion ??= new Gate(
      () => this.#complete(),
      (cause) => this.fail(prerequisiteFailed(this, cause)),
    );
    this.#completion.add(other);
  }

  /** @internal */
  advance(state: 'queued' | 'running'): void {
    if (!this.isSettled) this.#state = state;
  }

  /**
   * @internal A part of it lies where threads take it without a word to this one.
   * @param retract called where it is settled otherwise: nobody has to begin it any more
   */
  watch(isRunning: () => boolean, retract: () => void): void {
    this.#places.push({ isRunning, retract });
  }

  /** @internal */
  setProgress(fraction: number): void {
    this.#progress = fraction;
  }

  /** @internal The task has returned; it is done as soon as what it waits for is. */
  resolve(value: T): void {
    this.#complete = () => {
      this.#settle('done', null, () => this.#resolve(value));
    };
    if (this.#completion) this.#completion.release();
    else this.#complete();
  }

  /** @internal */
  fail(error: unknown): boolean {
    return this.#settle('failed', { reason: error }, () => this.#reject(error));
  }

  /** @internal */
  silence(): void {
    this.#promise.catch(() => {});
  }

  /** @internal */
  get node(): AwaitedTask {
    return this;
  }

  /** @internal */
  get hasSubsequents(): boolean {
    return this.#subsequents.length > 0;
  }

  /** @internal */
  whenSettled(subsequent: Subsequent): void {
    if (this.isSettled) subsequent(this.#failure);
    else this.#subsequents.push(subsequent);
  }

  /** @internal */
  *awaits(): Iterable<AwaitedTask> {
    if (this.isSettled) return;
    yield* this.#start.awaited;
    if (this.#completion) yield* this.#completion.awaited;
    yield* this.#triggers;
  }

  /** @internal The end of this task will trigger it. @throws TaskError `task-cycle` */
  triggeredBy(task: TaskFuture<unknown>): void {
    refuseCycle(this, task);
    this.#triggers.add(task);
    task.whenSettled(() => this.#triggers.delete(task));
  }

  #complete: () => void = () => {};

  #checkHeld(what: string): void {
    if (this.isHeld) return;
    const why = this.isSettled ? `${this.#state} already` : 'not held';
    throw new StateError(
      'task-not-held',
      `${this.name} can't be ${what}: it is ${why}. Ask for it with \`hold: true\`, and unlock it once.`,
    );
  }

  #settle(state: SettledState, failure: { readonly reason: unknown } | null, tell: () => void): boolean {
    if (this.isSettled) return false;
    this.#state = state;
    this.#failure = failure;
    tell();
    for (const { retract } of this.#places.splice(0)) retract();
    this.#onSettled(state);
    dispatch(this.#subsequents.splice(0).map((subsequent) => () => subsequent(failure)));
    return true;
  }
}

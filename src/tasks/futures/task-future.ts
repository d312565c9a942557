import { OptionError, StateError } from '../../core/errors.js';
import type { Job } from '../job.js';
import { prerequisiteFailed } from '../task-errors.js';
import { Awaitable, isPromise, Outcome } from './awaitable.js';
import { type Awaited as AwaitedTask, dispatch, Gate, refuseCycle, type Subsequent } from './task-gate.js';

/** State of a task. `cancelled`: it will not run, or its result is dropped. */
export type TaskState = 'waiting' | 'queued' | 'running' | SettledState;

export type SettledState = 'done' | 'failed' | 'cancelled';

/** The place of a queued job. Other threads can take the job from there without notifying this thread. */
interface JobPlace {
  isRunning(): boolean;
  /** Called when the task has settled: the job need not begin any more. */
  retract(): void;
  /** Takes the job back, unless a thread has begun it. @returns whether the job was taken back */
  takeBack(): boolean | Promise<boolean>;
  /** Called for a job that was taken back although its task continues, because another job of the task has begun. */
  skip(): void;
}

/**
 * The future of a task: a promise of its result, and a prerequisite of other tasks (SYSTEMS T1, T7).
 *
 *   waiting ─ unlocked, prerequisites ─► queued ─ a worker is free ─► running ─ doNotCompleteUntil ─► done │ failed
 *      └──────────────────────────────────┴────────── cancel() ────────┴─────────────────────────► cancelled
 */
export class TaskFuture<T = unknown> extends Awaitable<T> {
  /** Name of the task and its module, for messages. */
  readonly name: string;
  readonly #outcome = new Outcome<T>();
  #state: TaskState = 'waiting';
  #isHeld = true;
  #failure: { readonly reason: unknown } | null = null;
  #progress = 0;
  /** @internal Whether the task is held until code first waits for it. */
  isDeferred = false;
  /** @internal Whether the task was reported as slow. */
  isReportedSlow = false;
  readonly #subsequents: Subsequent[] = [];
  readonly #start: Gate;
  /** Gate of `doNotCompleteUntil`, created at its first call. */
  #completion: Gate | null = null;
  /** Tasks whose end triggers this future, if it belongs to an event. */
  readonly #triggers = new Set<AwaitedTask>();
  /** Places of the task's jobs; `null` before the first. */
  #places: Map<Job, JobPlace> | null = null;
  readonly #onSettled: (state: SettledState) => void;

  /**
   * Creates a held task, which accepts prerequisites until `unlock`.
   *
   * @internal
   * @param onReady called when the task may begin
   * @param onSettled called once, inside the call that settles the task
   */
  constructor(name: string, onReady: () => void, onSettled: (state: SettledState) => void) {
    super();
    this.name = name;
    this.#onSettled = onSettled;
    this.#start = new Gate(
      () => {
        if (!this.isSettled) onReady();
      },
      (cause) => {
        const reason = prerequisiteFailed(this, cause);
        this.#settle('cancelled', { reason }, () => this.#outcome.reject(reason));
      },
    );
  }

  get state(): TaskState {
    if (this.#state === 'queued' && this.#places)
      for (const place of this.#places.values()) if (place.isRunning()) this.#state = 'running';
    return this.#state;
  }

  /** True if the task is done, failed or cancelled. */
  get isSettled(): boolean {
    return this.#state === 'done' || this.#state === 'failed' || this.#state === 'cancelled';
  }

  /** True if the task was started with `hold` and has not been unlocked. */
  get isHeld(): boolean {
    return this.#isHeld && !this.isSettled;
  }

  /** Progress from 0 to 1, as the task reports it (`task.progress`). */
  get progress(): number {
    return this.#state === 'done' ? 1 : this.#progress;
  }

  /** @internal */
  promised(): Promise<T> {
    this.launch();
    return this.#outcome.promise;
  }

  /** @internal Begins a deferred task, because code waits for it. */
  launch(): void {
    if (this.isDeferred && this.isHeld) this.unlock();
  }

  /**
   * Returns a view of this future that can be awaited and named as a prerequisite, but can't cancel or unlock the task.
   */
  share(): SharedTaskFuture<T> {
    return new SharedTaskFuture(this);
  }

  /**
   * Cancels the task. A task that has not begun never runs. The result of a task that has begun is dropped. Tasks that
   * wait for it are cancelled.
   * @param reason error with which the promise rejects; default: an `AbortError`
   * @returns false if the task had settled before
   */
  cancel(reason: unknown = new DOMException(`The task ${this.name} was cancelled.`, 'AbortError')): boolean {
    // The caller knows of the cancellation, so don't report it as an unhandled rejection. Other failures are reported.
    this.#outcome.silence();
    return this.#settle('cancelled', { reason }, () => this.#outcome.reject(reason));
  }

  /**
   * Takes the task back if no thread has begun it (SYSTEMS T8). Unlike `cancel`, it never drops the work of a thread.
   * @param reason error with which the promise rejects if the task was taken back; default: an `AbortError`
   * @returns resolves with true if the task was taken back and will never run. Resolves with false if the task has
   *   settled, or if a thread has begun it; the task then continues
   */
  async retract(
    reason: unknown = new DOMException(`The task ${this.name} was taken back.`, 'AbortError'),
  ): Promise<boolean> {
    const { state } = this;
    if (state === 'waiting') return this.cancel(reason);
    if (state !== 'queued') return false;
    const places = this.#placesNow();
    if (places.length === 0) return this.cancel(reason);
    const answers = await Promise.all(places.map((place) => place.takeBack()));
    // Another job of the task may have begun meanwhile, or the task may have settled.
    if (answers.every((isBack) => isBack) && this.state !== 'running') {
      this.cancel(reason);
      return this.#state === 'cancelled';
    }
    for (const [index, place] of places.entries()) if (answers[index]) place.skip();
    return false;
  }

  /** Lets a held task begin as soon as its prerequisites are done. @throws StateError `task-not-held` */
  unlock(): void {
    this.#checkHeld('unlocked');
    this.#isHeld = false;
    for (const each of this.#start.awaited) each.launch();
    this.#start.release();
  }

  /**
   * Adds a prerequisite to a held task.
   * @throws StateError `task-not-held`; OptionError `option-invalid`; TaskError `task-cycle`
   */
  addPrerequisite(other: PromiseLike<unknown>): void {
    this.#checkHeld('given another prerequisite');
    if (!isPromise(other))
      throw new OptionError(
        'option-invalid',
        `A prerequisite of ${this.name} is neither a future nor a promise.`,
      );
    refuseCycle(this, other);
    this.#start.add(other);
  }

  /**
   * Delays the completion of this running task until `other` has completed. If `other` fails, this task fails too.
   * @throws StateError `task-not-running`; TaskError `task-cycle`
   */
  doNotCompleteUntil(other: PromiseLike<unknown>): void {
    const { state } = this;
    if (state !== 'running') {
      throw new StateError(
        'task-not-running',
        `${this.name} is ${state}: only a running task can delay its completion. Add a prerequisite instead.`,
      );
    }
    refuseCycle(this, other);
    this.#completion ??= new Gate(
      () => this.#complete(),
      (cause) => this.fail(prerequisiteFailed(this, cause)),
    );
    this.#completion.add(other);
    for (const each of this.#completion.awaited) each.launch();
  }

  /** @internal */
  advance(state: 'queued' | 'running'): void {
    if (!this.isSettled) this.#state = state;
  }

  /** @internal Sets the place of a job that other threads take without notifying this thread. */
  watch(job: Job, place: JobPlace): void {
    this.#places ??= new Map();
    this.#places.set(job, place);
  }

  /** @internal Forgets the place of a job that is queued again. */
  unwatch(job: Job): void {
    this.#places?.delete(job);
  }

  /** @internal */
  setProgress(fraction: number): void {
    this.#progress = fraction;
  }

  /**
   * @internal Called when the task has returned. The task is done once the promises of `doNotCompleteUntil` are done.
   */
  resolve(value: T): void {
    this.#complete = () => {
      this.#settle('done', null, () => this.#outcome.resolve(value));
    };
    if (this.#completion) this.#completion.release();
    else this.#complete();
  }

  /** @internal */
  fail(error: unknown): boolean {
    return this.#settle('failed', { reason: error }, () => this.#outcome.reject(error));
  }

  /** @internal */
  silence(): void {
    this.#outcome.silence();
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

  /** @internal Registers that the end of `task` triggers this future. @throws TaskError `task-cycle` */
  triggeredBy(task: TaskFuture<unknown>): void {
    refuseCycle(this, task);
    this.#triggers.add(task);
    task.whenSettled(() => this.#triggers.delete(task));
  }

  #complete: () => void = () => {};

  #placesNow(): JobPlace[] {
    return this.#places ? [...this.#places.values()] : [];
  }

  #checkHeld(what: string): void {
    if (this.isHeld) return;
    const why = this.isSettled ? `${this.#state} already` : 'not held';
    throw new StateError(
      'task-not-held',
      `${this.name} can't be ${what}: it is ${why}. Start it with \`hold: true\`, and unlock it once.`,
    );
  }

  #settle(state: SettledState, failure: { readonly reason: unknown } | null, tell: () => void): boolean {
    if (this.isSettled) return false;
    this.#state = state;
    this.#failure = failure;
    tell();
    const places = this.#placesNow();
    this.#places = null;
    for (const { retract } of places) retract();
    this.#onSettled(state);
    dispatch(this.#subsequents.splice(0).map((subsequent) => () => subsequent(failure)));
    return true;
  }
}

/** A read-only view of a task's future, for code that only waits for it. */
export class SharedTaskFuture<T = unknown> extends Awaitable<T> {
  readonly #future: TaskFuture<T>;

  /** @internal Use `future.share()`. */
  constructor(future: TaskFuture<T>) {
    super();
    this.#future = future;
  }

  get name(): string {
    return this.#future.name;
  }

  get state(): TaskState {
    return this.#future.state;
  }

  /** @internal */
  promised(): Promise<T> {
    return this.#future.promised();
  }

  /** @internal */
  get node(): AwaitedTask {
    return this.#future;
  }
}

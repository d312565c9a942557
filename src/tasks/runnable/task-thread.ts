/**
 * The page's handle of a runnable: a program on a thread of its own (SYSTEMS T11).
 *
 *   starting ─ init ─► running ─ stop() ─► stopping ─ exit ─► ended
 *       └─ init failed ──► failed ◄─ run throws ─┘   └─ not ended in time: killed ─► its locks and memory are poisoned
 *
 *   running ─ suspend() ─ its next safe point ─► suspended ─ resume() ─► running
 */
import { messageOf, StateError, TaskError, ThreadError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { amount, anything, byDefault, numberFrom, optional, text } from '../../core/options/members.js';
import { hearLosses, messageLost } from '../../core/streams/port-messages.js';
import { type Clock, systemClock, withDeadline } from '../../sync/deadline.js';
import { canShare, sharedMemoryIn } from '../arguments/shared-array.js';
import { cloneArguments } from '../arguments/task-arguments.js';
import { HELD_WORDS } from '../blocking/lock-holder.js';
import { nextIdentity, poisonHeld } from '../blocking/task-locks.js';
import type { WorkerLike } from '../page/pool-worker.js';
import { SharedMemories } from '../shared-memory/argument-codec.js';
import { argumentsRefused, isRefused, reasonOfDeath, thrownBy } from '../task-errors.js';
import type { RunnableNotice, RunnableOrder, SuspendRequest } from '../task-messages.js';
import type { ImportModule } from '../task-module.js';
import type { RunnableEvents } from '../task-rings.js';
import { LOCKS, requestStop, serveRunnable } from './serve-runnable.js';
import { Suspension } from './suspension.js';

export type TaskThreadState =
  | 'starting'
  | 'running'
  | 'suspended'
  | 'stopping'
  | 'ended'
  | 'failed'
  | 'killed';

export const THREAD_OPTIONS = {
  /** Name for messages and `tasks.threads()`. Default: the module's file name. */
  name: optional(text()),
  /**
   * Arguments of `init` and `run`. Plain data is copied. Shared arrays are shared in cross-origin isolated pages, and
   * copied in other pages.
   */
  args: optional(anything()),
  /** Longest time until the module is loaded and `init` has ended, in seconds. Default 30. */
  initSeconds: optional({ ...amount('seconds'), code: 'option-out-of-range' as const }),
};

export type ThreadOptions = Shaped<typeof THREAD_OPTIONS>;

/**
 * Advice in the error about a lost message, which may have been the thread's result, or the request to end.
 */
const LOSS = 'Its content is lost. If the thread no longer answers, end it by stop().';

const STOP_OPTIONS = { seconds: byDefault(numberFrom(0), 5) };

interface TaskThreadHost {
  /** Starts a worker; `null` if the runnable runs on the page's thread, between turns of the event loop. */
  readonly startWorker: ((name: string) => WorkerLike) | null;
  readonly importModule: ImportModule;
  readonly onError: (error: unknown) => void;
  /** Marks shared memory in these arguments as half-written, because the thread was killed or died. */
  readonly poison: (args: unknown) => void;
  readonly onEnd: (thread: TaskThread) => void;
  readonly clock?: Clock | undefined;
  /** Opens the thread's events for the timeline; undefined without a timeline. */
  readonly openEvents?: ((name: string) => RunnableEvents) | undefined;
}

export class TaskThread {
  readonly name: string;
  /** The other end of the runnable's `thread.port`. */
  readonly port: MessagePort;
  /**
   * Resolves with the result of `run`. Rejects with the error of `run`, TaskError `task-result-refused`, or ThreadError
   * `task-thread-killed`, `task-worker-died`.
   */
  readonly done: Promise<unknown>;
  readonly #host: TaskThreadHost;
  readonly #clock: Clock;
  readonly #args: unknown;
  readonly #words: Int32Array | null;
  readonly #identity = nextIdentity();
  readonly #memories = new SharedMemories(0, () => {});
  readonly #events: RunnableEvents | undefined;
  #state: TaskThreadState = 'starting';
  readonly #suspension: Suspension;
  #tell: (message: RunnableOrder | SuspendRequest | { readonly kind: 'stop' }) => void = () => {};
  #terminate: () => void = () => {};
  #resolve!: (result: unknown) => void;
  #reject!: (error: unknown) => void;
  #onInitialised!: () => void;
  /** Resolves when `init` has succeeded. */
  readonly #initialised: Promise<void>;

  /** @internal Use `tasks.createThread()`. @throws TaskError `task-arguments-refused` */
  constructor(url: string, { name = nameOf(url), args }: ThreadOptions, host: TaskThreadHost) {
    this.name = name;
    this.#host = host;
    this.#clock = host.clock ?? systemClock;
    this.#args = args;
    this.#words = canShare() ? new Int32Array(new SharedArrayBuffer(4 * (LOCKS + HELD_WORDS))) : null;
    this.#suspension = new Suspension(this.#words, (message) => this.#tell(message));
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // `onError` gets the error as well, so the rejection need not be handled.
    this.done.catch(() => {});
    this.#initialised = new Promise((resolve) => {
      this.#onInitialised = resolve;
    });
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const order: RunnableOrder = {
      ...{ kind: 'runnable', url, name, args, port: port2 },
      ...{ words: this.#words, identity: this.#identity, isHere: host.startWorker === null },
    };
    this.#events = host.openEvents?.(name);
    this.#events?.begin('init');
    try {
      if (host.startWorker) this.#startOnWorker(host.startWorker(name), order, port2);
      else this.#startOnPage(order);
    } catch (error) {
      // Clean up everything: the caller gets no handle to this thread.
      this.#terminate();
      this.#events?.close(false);
      port1.close();
      throw isRefused(error) ? argumentsRefused(this, error, 'thread') : error;
    }
  }

  get state(): TaskThreadState {
    return this.#state === 'running' && this.#suspension.isPaused ? 'suspended' : this.#state;
  }

  get isOver(): boolean {
    return this.#state === 'ended' || this.#state === 'failed' || this.#state === 'killed';
  }

  /** @internal Resolves when `init` has succeeded. */
  async whenInitialised(seconds: number, url: string): Promise<this> {
    const failed = this.done.then(() => {});
    const waiting = withDeadline(Promise.race([this.#initialised, failed]), {
      milliseconds: seconds * 1000,
      waiter: `The thread "${this.name}"`,
      awaited: `\`init\` of ${url}`,
      clock: this.#clock,
    });
    await waiting.catch((error) => {
      if (!this.isOver) this.kill(`\`init\` had not ended after ${seconds} s`);
      throw error;
    });
    return this;
  }

  /** Number of calls of `suspend` that no `resume` has undone. */
  get suspendCount(): number {
    return this.#suspension.count;
  }

  /**
   * Suspends the thread at its next safe point (`thread.safePoint()` in the runnable). Calls are counted: the thread
   * continues after as many calls of `resume`, or when its end is requested.
   * @returns resolves with true when the thread has paused; with false if it is resumed or ends before
   */
  suspend(): Promise<boolean> {
    if (this.isOver || this.#state === 'stopping') return Promise.resolve(false);
    return this.#suspension.suspend();
  }

  /**
   * Undoes one call of `suspend`.
   * @returns true if it was the last one, so that the thread continues; false as well if there was none
   */
  resume(): boolean {
    return this.#suspension.resume();
  }

  /**
   * Requests the thread's end and waits for it. Kills the thread if it does not end in time.
   * @param options `seconds`: longest time until the end. Default 5. 0 kills the thread unless it ends at once
   * @returns the final state; rejects with OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
   */
  async stop(options: Shaped<typeof STOP_OPTIONS> = {}): Promise<'ended' | 'failed' | 'killed'> {
    const { seconds } = fillOptions('stop', options, STOP_OPTIONS);
    if (!this.isOver) {
      this.#state = 'stopping';
      this.#askToStop();
      await withDeadline(
        this.done.then(
          () => {},
          () => {},
        ),
        {
          milliseconds: seconds * 1000,
          waiter: 'stop()',
          awaited: `the thread "${this.name}" to end`,
          clock: this.#clock,
        },
      ).catch(() => this.kill(`it had not ended ${seconds} s after stop()`));
    }
    return this.#state as 'ended' | 'failed' | 'killed';
  }

  /**
   * Ends the thread at once. Prefer `stop`: memory that the thread was writing may be half-written, and the locks that
   * it holds are poisoned and reported.
   */
  kill(reason = 'kill() was called'): void {
    if (this.isOver) return;
    const error = new ThreadError(
      'task-thread-killed',
      `The thread "${this.name}" was killed: ${reason}. Memory that it was writing may be half-written.`,
    );
    this.#die(error);
  }

  #askToStop(): void {
    requestStop(this.#words);
    this.#suspension.end();
    this.#tell({ kind: 'stop' });
  }

  #die(error: ThreadError): void {
    // A runnable on the page's thread has no worker to terminate, so it ends only when it follows this request.
    if (this.#state !== 'stopping') this.#askToStop();
    this.#end('killed', () => this.#reject(error));
    this.#host.onError(error);
    this.#host.poison(this.#args);
    if (!this.#words) return;
    // Number the shared memories in the same order as `serveRunnable`: notes of held locks name memory by number.
    const known = [...sharedMemoryIn(this.#args)] as SharedArrayBuffer[];
    const find = (number: number): SharedArrayBuffer | undefined =>
      known[number] ?? this.#memories.find(number);
    for (const lock of poisonHeld(this.#words, LOCKS, this.#identity, find)) {
      this.#host.onError(
        new StateError(
          'lock-poisoned',
          `The thread "${this.name}" ended while it held ${lock}. The data that the lock protects may be half-written, and later attempts to lock it throw. Create the lock and its data again.`,
        ),
      );
    }
  }

  #startOnWorker(worker: WorkerLike, order: RunnableOrder, port: MessagePort): void {
    worker.onmessage = ({ data }: MessageEvent<RunnableNotice>) => this.#hear(data);
    hearLosses(worker, `answers of the thread "${this.name}"`, this.#host.onError, LOSS);
    worker.onerror = (event) => {
      event.preventDefault?.();
      if (this.isOver) return;
      this.#die(
        new ThreadError(
          'task-worker-died',
          `The thread "${this.name}" died: ${reasonOfDeath(event)}. Memory that it was writing may be half-written.`,
        ),
      );
    };
    this.#tell = (message) => worker.postMessage(message);
    this.#terminate = () => {
      worker.onmessage = worker.onmessageerror = worker.onerror = null;
      worker.terminate();
    };
    worker.postMessage(order, [port]);
  }

  #startOnPage(order: RunnableOrder): void {
    const args = cloneArguments(order.args);
    const served = serveRunnable({ ...order, args }, this.#host.importModule, (notice) => this.#hear(notice));
    this.#tell = (message) => message.kind !== 'runnable' && served.hear(message);
  }

  #hear(notice: RunnableNotice): void {
    if (this.isOver) return;
    switch (notice.kind) {
      case 'initialised':
        if (this.#state === 'starting') this.#state = 'running';
        this.#events?.begin('run');
        this.#onInitialised();
        return;
      case 'suspended':
        this.#suspension.hear(notice.request);
        return;
      case 'runnableRan':
        this.#events?.end(notice.stage, notice.ran);
        if (notice.stage === 'run') this.#events?.begin('exit');
        return;
      case 'memory':
        this.#memories.hear(notice);
        return;
      case 'lost':
        this.#host.onError(messageLost(`orders to the thread "${this.name}"`, LOSS));
        return;
      case 'runnableEnded':
        this.#end('ended', () => this.#resolve(notice.result));
        return;
      case 'runnableError':
        this.#host.onError(thrownBy(notice));
        return;
      case 'runnableFailed': {
        const thrown = thrownBy(notice);
        const isOfInit = notice.stage === 'init';
        const error = isOfInit ? initFailed(this.name, thrown) : thrown;
        if (!isOfInit) this.#host.onError(error);
        this.#end('failed', () => this.#reject(error));
      }
    }
  }

  #end(state: 'ended' | 'failed' | 'killed', settle: () => void): void {
    this.#state = state;
    this.#suspension.end();
    this.#terminate();
    this.#events?.close(state === 'killed');
    // A thread that has ended by itself closes its end of the port. Its last message may still be in flight, so keep
    // this end open.
    if (state === 'killed') this.port.close();
    settle();
    this.#host.onEnd(this);
  }
}

const initFailed = (name: string, cause: unknown): TaskError =>
  new TaskError(
    'runnable-init-failed',
    `The thread "${name}" was not started, because its module could not be loaded or \`init\` failed: ${messageOf(cause)}`,
    { cause },
  );

const nameOf = (url: string): string => url.split('/').at(-1) ?? url;

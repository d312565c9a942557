/**
 * The named threads of a task system, and the real thread behind each name (SYSTEMS T2).
 *
 *   rhi ─ attached? ─ no ─► render ─ attached? ─ no ─► game: the thread that owns the task system
 */
import { ThreadError } from '../../core/errors.js';
import { localThread, NamedThread, type ThreadName, ThreadQueues } from '../named-threads/thread-queues.js';
import type { WorkerNotice } from '../task-messages.js';
import { PoolWorker, type WorkerLike } from './pool-worker.js';
import type { TaskHost } from './task-host.js';

export type AttachedName = Exclude<ThreadName, 'game'>;

/** Threads that can run the tasks for a name, the preferred thread first. */
const CANDIDATES: Readonly<Record<AttachedName, readonly AttachedName[]>> = {
  render: ['render'],
  rhi: ['rhi', 'render'],
};

export class NamedThreads {
  readonly game: ThreadQueues;
  readonly gameThread: NamedThread;
  readonly #attached = new Map<AttachedName, PoolWorker>();
  /** Functions that end threads, one for each thread that has received `exit` and has not answered yet. */
  readonly #leaving = new Set<() => void>();
  readonly #open: (() => Promise<void>) | null;
  readonly #onError: (error: unknown) => void;
  #isOpen = false;
  #opening: Promise<void> | null = null;
  readonly #onNotice: (worker: PoolWorker, notice: WorkerNotice) => void;

  constructor(
    { clock, openThreads, onError }: Pick<TaskHost, 'clock' | 'openThreads' | 'onError'>,
    onNotice: (worker: PoolWorker, notice: WorkerNotice) => void,
  ) {
    this.#open = openThreads ?? null;
    this.#onError = onError;
    this.game = new ThreadQueues(clock);
    this.gameThread = localThread('game', this.game);
    this.#onNotice = onNotice;
  }

  /**
   * Sends tasks for this name to the thread behind the port from now on. The thread runs them with `serve-tasks.ts`.
   */
  attach(name: AttachedName, port: WorkerLike): void {
    this.detach(name);
    const worker = new PoolWorker({
      threadNumber: 0,
      set: 'normal',
      name: `The ${name} thread`,
      worker: port,
      taskOf: () => undefined,
      onNotice: this.#onNotice,
      onLoss: this.#onError,
      onDeath: () => this.#attached.get(name) === worker && this.#attached.delete(name),
    });
    this.#attached.set(name, worker);
  }

  /** Removes a thread that has ended. Tasks that it has not begun are sent to the thread that replaces it. */
  detach(name: AttachedName): void {
    const worker = this.#attached.get(name);
    this.#attached.delete(name);
    worker?.end(threadEnded(name));
  }

  /**
   * Detaches a thread that may continue to run. Its tasks that have not begun move to another thread once the detached
   * thread has ended, or has confirmed that it begins no more tasks. So no task runs twice.
   *
   * @param gone resolves when the thread has ended
   * @returns a promise that resolves when the thread has confirmed or ended
   */
  leave(name: AttachedName, gone: PromiseLike<void>): Promise<void> {
    const worker = this.#attached.get(name);
    if (!worker) return Promise.resolve();
    this.#attached.delete(name);
    return new Promise((resolve) => {
      const end = (): void => {
        if (!this.#leaving.delete(end)) return;
        worker.end(threadEnded(name));
        resolve();
      };
      this.#leaving.add(end);
      worker.isLeaving = true;
      worker.onExited = end;
      worker.tell({ kind: 'exit' });
      void gone.then(end);
    });
  }

  /**
   * Attaches the threads before the first use of a name. Another thread replaces a thread that can't be attached.
   * @returns undefined if no thread is left to attach
   */
  whenOpen(name: ThreadName): Promise<void> | undefined {
    if (name === 'game' || !this.#open || this.#isOpen) return undefined;
    this.#opening ??= this.#open()
      .catch(this.#onError)
      .then(() => {
        this.#isOpen = true;
      });
    return this.#opening;
  }

  /** Returns the thread that receives the tasks for this name; `null` for this thread. */
  find(name: ThreadName): PoolWorker | null {
    const at = this.#nameOf(name);
    return at === 'game' ? null : (this.#attached.get(at) ?? null);
  }

  handle(name: ThreadName): NamedThread {
    const at = this.#nameOf(name);
    if (at === 'game') return this.gameThread;
    return new NamedThread(at, null, (request) => this.#attached.get(at)?.tell(request));
  }

  /** Attached threads by name, without the game thread. */
  get attached(): Iterable<readonly [AttachedName, PoolWorker]> {
    return this.#attached;
  }

  dispose(): void {
    this.game.shutDown();
    for (const name of [...this.#attached.keys()]) this.detach(name);
    for (const end of [...this.#leaving]) end();
  }

  #nameOf(name: ThreadName): ThreadName {
    if (name === 'game') return 'game';
    return CANDIDATES[name].find((each) => this.#attached.has(each)) ?? 'game';
  }
}

const threadEnded = (name: AttachedName): ThreadError =>
  new ThreadError('task-thread-ended', `The ${name} thread ended while it ran a task. Start the task again.`);

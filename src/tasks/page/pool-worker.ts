/**
 * The page's handle of one worker. It sends orders, and the worker answers each order once. If the worker dies, all
 * unanswered orders reject with the error of its death.
 */
import { errorToData, ThreadError } from '../../core/errors.js';
import type { EventRing } from '../../core/events/event-ring.js';
import { hearLosses, messageLost } from '../../core/streams/port-messages.js';
import type { Clock } from '../../sync/deadline.js';
import { evidenceOf } from '../../sync/watch/silence-evidence.js';
import type { Silence } from '../../sync/watch/watchdog.js';
import type { TaskFuture } from '../futures/task-future.js';
import { fencesNotConnected, reasonOfDeath, thrownBy } from '../task-errors.js';
import type { NumberedAnswer, TaskAnswer, TaskNotice, TaskOrder, WorkerNotice } from '../task-messages.js';
import type { WorkerSet } from '../task-sets.js';
import type { WorkerInvitation } from './task-host.js';

/** The part of `Worker` that the pool uses. Tests replace it. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  /** Called for a message that the browser can't read. */
  onmessageerror?: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

interface PoolWorkerHost {
  /** Number among the threads that share memory, from 1; 0 for a named thread, which does not share the memory. */
  readonly threadNumber: number;
  readonly set: WorkerSet;
  /** Name for messages. Default: derived from its number. */
  readonly name?: string;
  readonly worker: WorkerLike;
  /** Returns the name of the task that the worker runs, if it is known. */
  readonly taskOf: (worker: PoolWorker) => string | undefined;
  /** Receives all messages of the worker that are not answers. */
  readonly onNotice: (worker: PoolWorker, notice: WorkerNotice) => void;
  /** Called when the browser could not read a message to or from the worker. */
  readonly onLoss: (error: ThreadError) => void;
  /** Called once, before the unanswered orders are rejected. */
  readonly onDeath: (worker: PoolWorker, error: ThreadError) => void;
}

export type DoneOrder = Omit<Extract<TaskAnswer, { kind: 'done' }>, 'kind'>;

/** An unanswered order. */
interface Pending {
  readonly resolve: (done: DoneOrder) => void;
  readonly reject: (error: unknown) => void;
  readonly onEnd: ((end: Pick<DoneOrder, 'changes' | 'ran'>) => void) | undefined;
}

/** Longest time for a worker's clean-up, in milliseconds. */
const EXIT_LIMIT = 1000;

/**
 * Advice in the error about a lost message. All unanswered orders reject, because the page can't know which of them the
 * message belonged to.
 */
const LOSS = 'Shared memory was sent again. Orders without an answer reject: start their tasks again.';

export class PoolWorker {
  readonly name: string;
  /** Number among the threads that share memory, from 1; 0 for a named thread. */
  readonly threadNumber: number;
  readonly set: WorkerSet;
  /** Modules that the worker was ordered to load, by number. */
  readonly modules = new Map<number, Promise<unknown>>();
  /** Number of tasks that the worker was ordered to run and has not answered. */
  busy = 0;
  /** The last task that the worker was ordered to run; `null` if there is none. */
  task: TaskFuture<unknown> | null = null;
  /** Time of the start, in milliseconds of the pool's clock. */
  startedAt = 0;
  /** True once the worker has sent a message, which shows that its script was loaded. */
  hasAnswered = false;
  /** Called at the worker's first message, or when the worker ends without a message. */
  onFirstWord: (() => void) | null = null;
  /** Futures of tasks by the numbers of unanswered orders. */
  readonly orders = new Map<number, TaskFuture<unknown>>();
  /** Functions to call when a named thread has begun an order, by the order's number. */
  readonly begun = new Map<number, () => void>();
  /** True if the worker's tasks have created thread locals that need a clean-up. */
  hasLocals = false;
  isLeaving = false;
  /** Events of the tasks that the worker has run; `null` without a timeline. */
  events: EventRing | null = null;
  onExited: (() => void) | null = null;
  /** Called for each message of the worker, which is a sign of life. */
  onMessage: ((kind: (NumberedAnswer | WorkerNotice)['kind']) => void) | null = null;
  /** Called when the worker has died or was ended. */
  onEnded: (() => void) | null = null;
  /**
   * Resolves when the browser has ended the worker. After `terminate` a worker may still run for seconds. `null` if the
   * browser doesn't report this.
   */
  gone: Promise<void> | null = null;
  /** Frees the worker's place in the engine's fences, once the worker is gone; `null` if the worker has no place. */
  leaveFences: (() => void) | null = null;
  readonly #worker: WorkerLike;
  readonly #pending = new Map<number, Pending>();
  readonly #die: (reason: string, evidence?: Readonly<Record<string, string>>) => void;
  #isEnded = false;
  #orders = 0;
  /**
   * Number of tasks that the worker's tasks have started by message and wait for. Meanwhile the worker may receive that
   * many further orders.
   */
  awaited = 0;

  constructor(host: PoolWorkerHost) {
    const {
      threadNumber,
      set,
      worker,
      taskOf,
      onNotice,
      onLoss,
      onDeath,
      name = `Worker ${threadNumber}`,
    } = host;
    this.name = name;
    this.threadNumber = threadNumber;
    this.set = set;
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<NumberedAnswer | WorkerNotice>) => {
      this.hasAnswered = true;
      this.#hearFirstWord();
      this.onMessage?.(data.kind);
      if (data.kind === 'done' || data.kind === 'failed') this.#hear(data);
      else {
        if (data.kind === 'lost') lose(messageLost(`orders to ${this.name}`, LOSS));
        onNotice(this, data);
      }
    };
    const lose = (error: ThreadError): void => {
      onLoss(error);
      this.#rejectOrders(error);
    };
    const loseAnswer = (error: ThreadError): void => {
      this.tell({ kind: 'lost' });
      lose(error);
    };
    hearLosses(worker, `answers of ${this.name}`, loseAnswer, LOSS);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.#die(reasonOfDeath(event));
    };
    this.#die = (reason, evidence) => {
      const task = this.task?.name ?? taskOf(this);
      const during = task === undefined ? '' : ` while it ran the task ${task}`;
      const error = new ThreadError(
        'task-worker-died',
        `${this.name} of the task system died${during}: ${reason}. ${
          this.hasAnswered
            ? 'Queued tasks run on other workers; memory that this worker was writing may be half-written.'
            : 'Serve task-worker.js beside the library, or set its address as `workerUrl`.'
        }`,
        { details: { thread: this.name, ...(task !== undefined && { task }), ...evidence } },
      );
      onDeath(this, error);
      this.end(error);
    };
  }

  /**
   * Sends an order.
   * @param number a number of `nextOrder()`
   * @param onEnd called with the task's changes and times, whether it succeeded or failed, before the promise settles
   * @param ports transferred with the order
   * @throws DOMException `DataCloneError` if the order can't be cloned
   */
  order(
    order: TaskOrder,
    number = this.nextOrder(),
    onEnd?: Pending['onEnd'],
    ports: readonly MessagePort[] = [],
  ): Promise<DoneOrder> {
    this.#worker.postMessage({ ...order, number }, [...ports]);
    return new Promise((resolve, reject) => this.#pending.set(number, { resolve, reject, onEnd }));
  }

  /** Returns a number for an order, by which it can be retracted. */
  nextOrder(): number {
    return this.#orders++;
  }

  /** Sends a notice, which has no answer. */
  tell(notice: TaskNotice, transfer: Transferable[] = []): void {
    this.#worker.postMessage(notice, transfer);
  }

  /**
   * Answers the worker's request to join the engine's fences. Frees the place of an earlier invitation, because the
   * worker asks again only if that invitation was lost.
   */
  inviteToFences(invite: (() => WorkerInvitation) | undefined, request: number): void {
    const { name } = this;
    this.leaveFences?.();
    this.leaveFences = null;
    try {
      if (!invite) throw fencesNotConnected();
      const { invitation, transfer, evict } = invite();
      this.leaveFences = evict;
      this.tell({ kind: 'fences', request, name, invitation }, transfer);
    } catch (error) {
      this.tell({ kind: 'fences', request, name, invitation: null, error: errorToData(error) });
    }
  }

  /**
   * Makes the worker clean up its thread locals and take no more tasks.
   * @returns resolves when the worker has cleaned up, or after 1 s
   */
  exit(clock: Clock): Promise<void> {
    this.isLeaving = true;
    return new Promise((resolve) => {
      const timer = clock.set(resolve, EXIT_LIMIT);
      this.onExited = () => {
        clock.clear(timer);
        resolve();
      };
      this.tell({ kind: 'exit' });
    });
  }

  /** Ends a worker that has not sent a message: its script is the wrong file, or was never loaded. */
  giveUpStart(seconds: number): void {
    if (!this.#isEnded) this.#die(`it has not started within ${seconds} s`);
  }

  /** Ends a worker that has disappeared without an error. */
  vanish(): void {
    if (!this.#isEnded) this.#die('it closed itself, or the browser has ended it');
  }

  /** Ends a worker that has not answered in time, whether or not it runs a task. */
  hang(silence: Silence): void {
    if (this.#isEnded) return;
    const { details, sentence } = evidenceOf(silence);
    this.#die(`it has not answered for ${details.silentSeconds} s. ${sentence}`, details);
  }

  /** Ends the worker, and rejects all unanswered orders with `reason`. */
  end(reason: unknown): void {
    this.#hearFirstWord();
    this.#worker.onmessage = this.#worker.onmessageerror = this.#worker.onerror = null;
    this.#worker.terminate();
    this.#isEnded = true;
    this.onEnded?.();
    this.#rejectOrders(reason);
  }

  #rejectOrders(reason: unknown): void {
    for (const pending of this.#pending.values()) pending.reject(reason);
    this.#pending.clear();
  }

  #hearFirstWord(): void {
    this.onFirstWord?.();
    this.onFirstWord = null;
  }

  #hear(answer: NumberedAnswer): void {
    const pending = this.#pending.get(answer.number);
    this.#pending.delete(answer.number);
    this.begun.delete(answer.number);
    this.orders.delete(answer.number);
    pending?.onEnd?.(answer);
    if (answer.kind === 'done') pending?.resolve(answer);
    else pending?.reject(thrownBy(answer));
  }
}

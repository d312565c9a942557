/**
 * One worker of the pool, as the page sees it: orders go out, and each is answered once. A worker that has died
 * answers all that it owed with the error that says so.
 */
import { ThreadError } from '../../core/errors.js';
import type { EventRing } from '../../core/events/event-ring.js';
import { hearLosses, messageLost } from '../../core/streams/port-messages.js';
import type { Clock } from '../../sync/deadline.js';
import { thrownBy } from '../failure.js';
import type { TaskFuture } from '../futures/task-future.js';
import { reasonOfDeath } from '../task-errors.js';
import type { NumberedAnswer, TaskAnswer, TaskNotice, TaskOrder, WorkerNotice } from '../task-messages.js';
import type { WorkerSet } from '../task-sets.js';

/** What the pool needs of a `Worker`. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  /** A message came that the browser can't read. */
  onmessageerror?: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

interface PoolWorkerHost {
  /** From 1 on: its number among the threads that share memory; 0: it is none of these. */
  readonly threadNumber: number;
  readonly set: WorkerSet;
  /** Default: by its number. */
  readonly name?: string;
  readonly worker: WorkerLike;
  /** The task that it runs, as far as that is known. */
  readonly taskOf: (worker: PoolWorker) => string | undefined;
  /** What it says besides answers. */
  readonly onNotice: (worker: PoolWorker, notice: WorkerNotice) => void;
  /** The browser could not read a message to or from the worker. */
  readonly onLoss: (error: ThreadError) => void;
  /** Called once, before the orders that it owes are rejected. */
  readonly onDeath: (worker: PoolWorker, error: ThreadError) => void;
}

export type DoneOrder = Omit<Extract<TaskAnswer, { kind: 'done' }>, 'kind'>;

/** By the number of its order. */
interface Owed {
  readonly resolve: (done: DoneOrder) => void;
  readonly reject: (error: unknown) => void;
  readonly onEnd: ((end: Pick<DoneOrder, 'changes' | 'ran'>) => void) | undefined;
}

/** How long a worker may clean up. Milliseconds. */
const EXIT_LIMIT = 1000;

/** Nobody knows which order a lost message was about. */
const LOSS =
  'Memory was sent again. Orders that the worker had not answered reject: start their tasks again.';

export class PoolWorker {
  readonly name: string;
  /** From 1 on: its number among the threads that share memory. */
  readonly threadNumber: number;
  readonly set: WorkerSet;
  /** Numbers of the modules that it was told to load. */
  readonly modules = new Map<number, Promise<unknown>>();
  /** Tasks that it was ordered to run and has not answered. */
  busy = 0;
  /** The last of them; null: none. */
  task: TaskFuture<unknown> | null = null;
  /** It has answered at least once: its script is there. */
  hasAnswered = false;
  /** Called then, or when it is ended before. */
  onFirstWord: (() => void) | null = null;
  /** By the numbers of the orders that it has not answered. */
  readonly orders = new Map<number, TaskFuture<unknown>>();
  /** Of a named thread: how to tell that it has begun with an order. */
  readonly begun = new Map<number, () => void>();
  /** Its tasks have left something on its thread that wants to be cleaned up. */
  hasLocals = false;
  isLeaving = false;
  /** What it has run, where anybody wants to see it. */
  events: EventRing | null = null;
  onExited: (() => void) | null = null;
  readonly #worker: WorkerLike;
  readonly #owed = new Map<number, Owed>();
  readonly #die: (reason: string) => void;
  #isEnded = false;
  #orders = 0;
  /** Tasks that its tasks have started by message and await: so many orders more it may get meanwhile. */
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
    this.#die = (reason) => {
      const task = this.task?.name ?? taskOf(this);
      const during = task === undefined ? '' : ` while it ran the task ${task}`;
      const error = new ThreadError(
        'task-worker-died',
        `${this.name} of the task system died${during}: ${reason}. ${
          this.hasAnswered
            ? 'Tasks that were queued go on in others; what this one was writing is not to be trusted.'
            : 'Serve task-worker.js beside the library, or give its place as `workerUrl`.'
        }`,
      );
      onDeath(this, error);
      this.end(error);
    };
  }

  /**
   * @param number of `nextOrder()`
   * @param onEnd called with what a task has left behind, whether it succeeded or failed, before the promise settles
   * @throws DOMException `DataCloneError` where the order can't be sent
   */
  order(order: TaskOrder, number = this.nextOrder(), onEnd?: Owed['onEnd']): Promise<DoneOrder> {
    this.#worker.postMessage({ ...order, number });
    return new Promise((resolve, reject) => this.#owed.set(number, { resolve, reject, onEnd }));
  }

  /** A number for an order, by which it can be retracted. */
  nextOrder(): number {
    return this.#orders++;
  }

  /** Says what needs no answer. */
  tell(notice: TaskNotice): void {
    this.#worker.postMessage(notice);
  }

  /** It takes no more tasks, and cleans up what its tasks have left on its thread. @returns when it has, or after a second */
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

  /** Its script is something else, or never came. */
  giveUpStart(seconds: number): void {
    if (!this.#isEnded) this.#die(`It has not started within ${seconds} s`);
  }

  /** It is gone without having said so. */
  vanish(): void {
    if (!this.#isEnded) this.#die('It closed itself, or the browser has ended it');
  }

  /** Ends the worker; whatever it owes is rejected with `reason`. */
  end(reason: unknown): void {
    this.#hearFirstWord();
    this.#worker.onmessage = this.#worker.onmessageerror = this.#worker.onerror = null;
    this.#worker.terminate();
    this.#isEnded = true;
    this.#rejectOrders(reason);
  }

  #rejectOrders(reason: unknown): void {
    for (const owed of this.#owed.values()) owed.reject(reason);
    this.#owed.clear();
  }

  #hearFirstWord(): void {
    this.onFirstWord?.();
    this.onFirstWord = null;
  }

  #hear(answer: NumberedAnswer): void {
    const owed = this.#owed.get(answer.number);
    this.#owed.delete(answer.number);
    this.begun.delete(answer.number);
    this.orders.delete(answer.number);
    owed?.onEnd?.(answer);
    if (answer.kind === 'done') owed?.resolve(answer);
    else owed?.reject(thrownBy(answer));
  }
}

/**
 * Jobs that are sent by message to a pool worker, or to a queue of a named thread. Each order has one answer.
 *
 *   job ─► its module, once ─► order, with copies where memory is not shared ═► worker ═► answer ─► changes, result
 *
 * If a thread ends, jobs that it has not begun run on another thread. A job that it had begun fails, and its memory
 * counts as half-written. Jobs of a pool worker count as begun once the worker has sent any message.
 */
import { FencepostError, ThreadError } from '../../core/errors.js';
import { applyChanges, CopiedMemories } from '../arguments/task-arguments.js';
import type { TaskFuture } from '../futures/task-future.js';
import { type Job, type LoadedModule, orderOf } from '../job.js';
import { argumentsRefused, isRefused, loadFailed } from '../task-errors.js';
import type { TaskOrder } from '../task-messages.js';
import { addReported, taskNumberOf } from '../task-rings.js';
import type { DoneOrder, PoolWorker } from './pool-worker.js';
import type { WorkerPool } from './worker-pool.js';

interface OrderedJobsHost {
  readonly pool: Pick<WorkerPool, 'watch' | 'release'>;
  /** Wakes a worker that may sleep in shared memory, because it has a message. */
  readonly announceMail: (worker: PoolWorker) => void;
  /** Queues a job again, because its thread has ended before it began the job. */
  readonly again: (job: Job, priority?: 'high') => void;
  /** Marks the memory of a task as half-written, because its thread has died while it ran the task. */
  readonly poison: (args: unknown) => void;
  readonly isDisposed: () => boolean;
}

export class OrderedJobs {
  readonly #host: OrderedJobsHost;
  /** Numbers of the page's memory that is copied for tasks. */
  readonly copied = new CopiedMemories();

  constructor(host: OrderedJobsHost) {
    this.#host = host;
  }

  /** Runs a job on a worker that was taken from the pool for it, and then releases the worker. */
  async runInPool(job: Job, worker: PoolWorker): Promise<void> {
    const { module, name, future } = job;
    const { pool, announceMail, again, poison } = this.#host;
    const endWatch = pool.watch(worker, future);
    future.advance('running');
    const originals: ArrayBuffer[] = [];
    let hasEnded = false;
    try {
      const loaded = this.#load(module, worker);
      const order = orderOf(job, originals, (memory) => this.copied.numberOf(memory));
      const indices = 'begin' in order ? order.end - order.begin : 0;
      const number = worker.nextOrder();
      const sent = { ...order, module: module.number, name, set: job.target.set };
      const onEnd: OnEnd = ({ changes, ran }) => {
        hasEnded = true;
        if (worker.events && ran) addReported(worker.events, ran, taskNumberOf(module, name), indices);
        applyChanges(originals, changes);
      };
      const ordered = sendOrder(worker, sent, number, future, onEnd, job.ports);
      announceMail(worker);
      ordered.catch(() => {}); // marked as handled: if the module can't be loaded, `await loaded` throws first
      // When the task has settled, a counter in shared memory ends the ranges by itself. Without shared memory, the
      // order must be retracted, which ends the ranges between two calls.
      if (order.kind === 'share' && order.packed) {
        future.watch(job, {
          isRunning: () => true,
          retract: () => hasEnded || worker.tell({ kind: 'retract', number }),
          takeBack: () => false,
          skip: () => {},
        });
      }
      await loaded;
      const { result, milliseconds } = await ordered;
      job.onDone(result, milliseconds);
    } catch (error) {
      if (error instanceof ThreadError && !worker.hasAnswered) again(job, 'high');
      else {
        if (isDeath(error)) poison(job.args);
        future.fail(error);
      }
    } finally {
      hasEnded = true;
      endWatch();
      pool.release(worker);
    }
  }

  /** Runs a job in a queue of a named thread. */
  async runInQueue(job: Job, worker: PoolWorker): Promise<void> {
    const { module, name, future, target } = job;
    const number = worker.nextOrder();
    const originals: ArrayBuffer[] = [];
    let hasBegun = false;
    /** Settles the promise that all calls of `takeBack` return. */
    let settleTakeBack: ((isBack: boolean) => void) | undefined;
    let takingBack: Promise<boolean> | undefined;
    const takeBack = (): Promise<boolean> => {
      takingBack ??= new Promise((resolve) => {
        settleTakeBack = resolve;
        retract();
      });
      return takingBack;
    };
    const retract = (): void => worker.tell({ kind: 'retract', number });
    worker.begun.set(number, () => {
      hasBegun = true;
      settleTakeBack?.(false);
      worker.task = future;
      future.advance('running');
    });
    try {
      const { queue = 'main', priority, set } = target;
      const loaded = this.#load(module, worker);
      const order = orderOf(job, originals, (memory) => this.copied.numberOf(memory));
      const sent = { ...order, module: module.number, name, set, queue, priority } as TaskOrder;
      const ordered = sendOrder(worker, sent, number, future, ({ changes }) =>
        applyChanges(originals, changes),
      );
      ordered.catch(() => {}); // marked as handled: if the module can't be loaded, `await loaded` throws first
      future.watch(job, { isRunning: () => hasBegun, retract, takeBack, skip: () => {} });
      await loaded;
      const { result, isTakenBack } = await ordered;
      if (isTakenBack) settleTakeBack?.(true);
      else job.onDone(result);
    } catch (error) {
      const { again, poison, isDisposed } = this.#host;
      const code = error instanceof FencepostError ? error.code : '';
      const hasEnded = code === 'task-thread-ended';
      if (hasEnded && hasBegun) poison(job.args);
      // The job is to be taken back, and the thread has ended before it began the job. So no thread will run the job.
      if (hasEnded && !hasBegun && settleTakeBack) {
        settleTakeBack(true);
        return;
      }
      // Don't queue a cancelled job again, because its order was retracted already.
      if (hasEnded && !hasBegun && job.isOver) return;
      if (hasEnded && !hasBegun && !isDisposed()) again(job);
      else if (code === 'thread-shut-down') future.cancel(error);
      else future.fail(error);
    } finally {
      // The order has ended in another way, so the task was not taken back.
      settleTakeBack?.(false);
    }
  }

  /** Loads a module on a worker, once per worker. */
  #load({ number, url, names }: LoadedModule, worker: PoolWorker): Promise<unknown> {
    const known = worker.modules.get(number);
    if (known) return known;
    worker.tell({ kind: 'module', number, url, names });
    const loading = worker.order({ kind: 'load', module: number }).catch((cause) => {
      worker.modules.delete(number);
      const isExplained = cause instanceof ThreadError || cause?.code === 'task-module-differs';
      throw isExplained ? cause : loadFailed(url, worker.name, cause);
    });
    loading.catch(() => {}); // the job that ordered the load may not await it any more
    worker.modules.set(number, loading);
    return loading;
  }
}

type OnEnd = (end: Pick<DoneOrder, 'changes' | 'ran'>) => void;

const isDeath = (error: unknown): boolean =>
  error instanceof ThreadError && error.code === 'task-worker-died';

/**
 * Sends an order.
 * @param onEnd receives the task's changes and its times, whether it succeeded or failed
 * @throws TaskError `task-arguments-refused`
 */
function sendOrder(
  worker: PoolWorker,
  order: TaskOrder,
  number: number,
  future: TaskFuture<unknown>,
  onEnd: OnEnd,
  ports?: readonly MessagePort[],
): Promise<DoneOrder> {
  try {
    const ordered = worker.order(order, number, onEnd, ports);
    worker.orders.set(number, future);
    return ordered;
  } catch (error) {
    throw isRefused(error) ? argumentsRefused(future, error) : error;
  }
}

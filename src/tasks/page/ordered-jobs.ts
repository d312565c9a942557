/**
 * Jobs that go to one thread by message, which answers each once: to a worker of the pool, or to a queue of a named thread.
 *
 *   job ─► its module is told, once ─► order, with copies where memory is not shared ═► worker ═► answer ─► changes, result
 *
 * What a thread has not begun when it ends is given to another one; what it had begun fails, and is poisoned.
 */
import { FencepostError, ThreadError } from '../../core/errors.js';
import { applyChanges } from '../arguments/task-arguments.js';
import type { TaskFuture } from '../futures/task-future.js';
import { type Job, type LoadedModule, orderOf } from '../job.js';
import { argumentsRefused, isRefused, loadFailed } from '../task-errors.js';
import type { TaskOrder } from '../task-messages.js';
import { addTold, taskNumberOf } from '../task-rings.js';
import { CopiedMemories } from './copied-memories.js';
import type { DoneOrder, PoolWorker } from './pool-worker.js';
import type { WorkerPool } from './worker-pool.js';

interface OrderedJobsHost {
  readonly pool: Pick<WorkerPool, 'watch' | 'release'>;
  /** There is mail for a worker that may sleep in shared memory. */
  readonly announceMail: (worker: PoolWorker) => void;
  /** A thread has ended, and nobody has begun the job. */
  readonly again: (job: Job, priority?: 'high') => void;
  /** A thread has ended in the middle of a task with these arguments. */
  readonly poison: (args: unknown) => void;
  readonly isDisposed: () => boolean;
}

export class OrderedJobs {
  readonly #host: OrderedJobsHost;
  /** What the page's memory is called in copies. */
  readonly copied = new CopiedMemories();

  constructor(host: OrderedJobsHost) {
    this.#host = host;
  }

  /** By a worker that was taken for it, and is released behind it. */
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
      const ordered = sendOrder(worker, sent, number, future, ({ changes, ran }) => {
        hasEnded = true;
        if (worker.events && ran) addTold(worker.events, ran, taskNumberOf(module, name), indices);
        applyChanges(originals, changes);
      });
      announceMail(worker);
      ordered.catch(() => {}); // the reason may be that the module could not be loaded
      // Ranges of a counter that is shared end by that; others are called off between two calls.
      if (order.kind === 'share' && order.packed) {
        future.watch(
          () => true,
          () => hasEnded || worker.tell({ kind: 'retract', number }),
        );
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

  /** By a named thread, when it is its turn in the queue there. */
  async runInQueue(job: Job, worker: PoolWorker): Promise<void> {
    const { module, name, future, target } = job;
    const number = worker.nextOrder();
    const originals: ArrayBuffer[] = [];
    let hasBegun = false;
    worker.begun.set(number, () => {
      hasBegun = true;
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
      ordered.catch(() => {}); // the reason may be that the module could not be loaded
      future.watch(
        () => hasBegun,
        () => worker.tell({ kind: 'retract', number }),
      );
      await loaded;
      const { result } = await ordered;
      job.onDone(result);
    } catch (error) {
      const { again, poison, isDisposed } = this.#host;
      const code = error instanceof FencepostError ? error.code : '';
      const hasEnded = code === 'task-thread-ended';
      if (hasEnded && hasBegun) poison(job.args);
      // Nobody would take back an order for what was cancelled meanwhile.
      if (hasEnded && !hasBegun && job.isOver) return;
      if (hasEnded && !hasBegun && !isDisposed()) again(job);
      else if (code === 'thread-shut-down') future.cancel(error);
      else future.fail(error);
    }
  }

  /** Once per worker. */
  #load({ number, url, names }: LoadedModule, worker: PoolWorker): Promise<unknown> {
    const known = worker.modules.get(number);
    if (known) return known;
    worker.tell({ kind: 'module', number, url, names });
    const loading = worker.order({ kind: 'load', module: number }).catch((cause) => {
      worker.modules.delete(number);
      const isTold = cause instanceof ThreadError || cause?.code === 'task-module-differs';
      throw isTold ? cause : loadFailed(url, worker.name, cause);
    });
    loading.catch(() => {}); // whoever ordered it may not wait for it any more
    worker.modules.set(number, loading);
    return loading;
  }
}

const isDeath = (error: unknown): boolean =>
  error instanceof ThreadError && error.code === 'task-worker-died';

/** @param onEnd told what the task has written and when it ran, whether it has succeeded or not @throws TaskError `task-arguments-refused` */
function sendOrder(
  worker: PoolWorker,
  order: TaskOrder,
  number: number,
  future: TaskFuture<unknown>,
  onEnd: (end: Pick<DoneOrder, 'changes' | 'ran'>) => void,
): Promise<DoneOrder> {
  try {
    const ordered = worker.order(order, number, onEnd);
    worker.orders.set(number, future);
    return ordered;
  } catch (error) {
    throw isRefused(error) ? argumentsRefused(future, error) : error;
  }
}

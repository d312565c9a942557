/**
 * Orders to a named thread. An order waits in one of the thread's queues, and its task runs when the queue reaches the
 * order.
 *
 *   order ─► load its module, in order of arrival ─► main │ local queue ─ its turn ─► begun ─► the task ─► answer
 */
import type { EventRing } from '../../core/events/event-ring.js';
import type { QueueName, ThreadName, ThreadQueues } from '../named-threads/thread-queues.js';
import type { TaskOrder, WorkerNotice } from '../task-messages.js';
import type { WorkerModule, WorkerModules } from '../task-module.js';
import type { OrderAnswers, OrderRunner } from './order-runner.js';

/** A named thread that serves tasks. */
export interface ServedThread {
  readonly name: ThreadName;
  readonly queues: ThreadQueues;
  /** Ring for the events of the thread's tasks. */
  readonly events?: EventRing;
}

export type QueuedOrder = Extract<TaskOrder, { kind: 'run' }> & {
  readonly number: number;
  readonly queue: QueueName;
};

interface QueuedOrdersHost {
  readonly queues: ThreadQueues;
  readonly modules: WorkerModules;
  readonly runner: OrderRunner;
  readonly answers: OrderAnswers;
  readonly post: (notice: WorkerNotice) => void;
}

export class QueuedOrders {
  readonly #host: QueuedOrdersHost;
  readonly #queued = new Map<number, { isOver: boolean }>();
  /** Orders whose module is being loaded, and which were not withdrawn. */
  readonly #awaited = new Set<number>();
  #arriving: Promise<void> | null = null;
  #hasLeft = false;

  constructor(host: QueuedOrdersHost) {
    this.#host = host;
  }

  /** Queues an order. Orders are queued as they arrive, even if an earlier one must load its module first. */
  receive(order: QueuedOrder): void {
    if (this.#hasLeft) return;
    const known = this.#arriving ? undefined : this.#host.modules.get(order.module);
    if (known) {
      this.#enqueue(order, known);
      return;
    }
    this.#awaited.add(order.number);
    const arrival = this.#arrive(order, this.#arriving);
    this.#arriving = arrival;
    void arrival.then(() => {
      if (this.#arriving === arrival) this.#arriving = null;
    });
  }

  retract(number: number): void {
    const call = this.#queued.get(number);
    if (!call && !this.#awaited.has(number)) return;
    if (call) call.isOver = true;
    this.#queued.delete(number);
    this.#awaited.delete(number);
    // Answer the withdrawn order, so that the page does not wait for it.
    this.#host.answers.give({ kind: 'done', result: undefined, changes: [], isTakenBack: true }, { number });
  }

  /**
   * Drops all orders that have not begun: the page sends them to another thread. The thread itself may continue to
   * run.
   */
  leave(): void {
    this.#hasLeft = true;
    this.#awaited.clear();
    for (const call of this.#queued.values()) call.isOver = true;
    this.#queued.clear();
    this.#host.queues.shutDown();
  }

  async #arrive(order: QueuedOrder, before: Promise<void> | null): Promise<void> {
    await before;
    try {
      const module = await this.#host.modules.load(order.module);
      if (this.#awaited.delete(order.number)) this.#enqueue(order, module);
    } catch (thrown) {
      if (this.#awaited.delete(order.number)) this.#host.answers.giveFailure(thrown, order);
    }
  }

  #enqueue(order: QueuedOrder, module: WorkerModule): void {
    const { number, priority = 'normal', queue } = order;
    const { answers, post, queues, runner } = this.#host;
    const fail = (thrown: unknown): void => {
      this.#queued.delete(number);
      answers.giveFailure(thrown, order);
    };
    const call = {
      priority,
      isOver: false,
      run: () => {
        this.#queued.delete(number);
        post({ kind: 'begun', number });
        try {
          const answer = runner.run(order, module);
          if (answer instanceof Promise) answer.then((each) => answers.give(each, order), fail);
          else answers.give(answer, order);
        } catch (thrown) {
          fail(thrown);
        }
      },
      abandon: fail,
    };
    this.#queued.set(number, call);
    queues.push(call, queue);
  }
}

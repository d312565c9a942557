import { OptionError, StateError } from '../../core/errors.js';
import { QUEUE_NAMES, type QueueName, type ThreadName, type ThreadQueues } from './thread-queues.js';

/** A request from another thread to a named thread. */
export type ThreadRequest =
  | { readonly kind: 'return'; readonly queue: QueueName }
  | { readonly kind: 'shutDown' };

/**
 * A named thread: tasks are sent to it by its name (`{ thread: 'render' }`), to its main or its local queue. `game` is
 * the thread that has the task system; an engine also has `render` and `rhi`. A missing thread is replaced by the
 * previous thread in this order.
 */
export class NamedThread {
  /** Name of the thread that runs the tasks: `game` if it replaces a missing thread. */
  readonly name: ThreadName;
  readonly #queues: ThreadQueues | null;
  readonly #ask: (request: ThreadRequest) => void;

  /** @internal @param queues the thread's queues; `null` if they are on another thread */
  constructor(name: ThreadName, queues: ThreadQueues | null, ask: (request: ThreadRequest) => void) {
    this.name = name;
    this.#queues = queues;
    this.#ask = ask;
  }

  /** True if the calling code runs on this named thread. */
  get isHere(): boolean {
    return this.#queues !== null;
  }

  /**
   * Runs all tasks of the queue now, without a turn of the event loop. Only code on the named thread may call it.
   * @returns number of tasks that ran
   * @throws StateError `queue-in-process`, `thread-elsewhere`
   */
  processUntilIdle(queue: QueueName = 'main'): number {
    return this.#own(queue).processUntilIdle(queue);
  }

  /**
   * Runs tasks of the queue as they arrive, until `requestReturn` or `requestShutdown`. Only code on the named thread
   * may call it.
   * @returns rejects with StateError `queue-in-process`, `thread-elsewhere`
   */
  async processUntilReturn(queue: QueueName = 'main'): Promise<'returned' | 'shut down'> {
    return this.#own(queue).processUntilReturn(queue);
  }

  /** @internal Runs tasks of the local queue until the promise has settled. Only code on the named thread may call it. */
  pumpUntil(promise: PromiseLike<unknown>): void {
    this.#own('local').pumpUntil('local', promise);
  }

  /** Ends one call of `processUntilReturn`, after all tasks that were queued before. Any thread may call it. */
  requestReturn(queue: QueueName = 'main'): void {
    checkQueue(queue);
    this.#ask({ kind: 'return', queue });
  }

  /**
   * Makes the thread take no more tasks. Tasks that have not begun are cancelled with `thread-shut-down`. Any thread
   * may call it.
   */
  requestShutdown(): void {
    this.#ask({ kind: 'shutDown' });
  }

  #own(queue: QueueName): ThreadQueues {
    checkQueue(queue);
    if (this.#queues) return this.#queues;
    throw new StateError(
      'thread-elsewhere',
      `The queues of the ${this.name} thread can be processed on that thread only. Send it a task that calls \`task.thread\`, or request a return.`,
    );
  }
}

/** Creates the handle of a named thread on that thread itself. */
export function localThread(name: ThreadName, queues: ThreadQueues): NamedThread {
  return new NamedThread(name, queues, (request) => obeyRequest(queues, request));
}

export function obeyRequest(queues: ThreadQueues, request: ThreadRequest): void {
  if (request.kind === 'return') queues.requestReturn(request.queue);
  else queues.shutDown();
}

/** @throws OptionError `option-invalid` */
function checkQueue(queue: QueueName): void {
  if (QUEUE_NAMES.includes(queue)) return;
  throw new OptionError(
    'option-invalid',
    `A thread has no queue "${String(queue)}"; it has ${QUEUE_NAMES.join(' and ')}.`,
  );
}

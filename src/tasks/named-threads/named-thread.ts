import { OptionError, StateError } from '../../core/errors.js';
import { QUEUE_NAMES, type QueueName, type ThreadName, type ThreadQueues } from './thread-queues.js';

/** What can be asked of a thread from elsewhere. */
export type ThreadRequest =
  | { readonly kind: 'return'; readonly queue: QueueName }
  | { readonly kind: 'shutDown' };

/**
 * A named thread: one that tasks can be sent to by its name (`{ thread: 'render' }`), each with a main and a local queue.
 * `game` is the thread that has the task system. In an engine `render` and `rhi` are its threads; where there is no such thread,
 * the one before it in this order stands for it.
 */
export class NamedThread {
  /** Which thread it is in truth: `game` where there is no other one. */
  readonly name: ThreadName;
  readonly #queues: ThreadQueues | null;
  readonly #ask: (request: ThreadRequest) => void;

  /** @internal @param queues null: they are elsewhere */
  constructor(name: ThreadName, queues: ThreadQueues | null, ask: (request: ThreadRequest) => void) {
    this.name = name;
    this.#queues = queues;
    this.#ask = ask;
  }

  /** Whether this code runs on it. */
  get isHere(): boolean {
    return this.#queues !== null;
  }

  /**
   * Runs all tasks of the queue now, without a turn of the event loop. On this thread only.
   * @returns how many there were
   * @throws StateError `queue-in-process`, `thread-elsewhere`
   */
  processUntilIdle(queue: QueueName = 'main'): number {
    return this.#own(queue).processUntilIdle(queue);
  }

  /**
   * Runs tasks of the queue as they come, until `requestReturn` or `requestShutdown`. On this thread only.
   * @returns rejects with StateError `queue-in-process`, `thread-elsewhere`
   */
  async processUntilReturn(queue: QueueName = 'main'): Promise<'returned' | 'shut down'> {
    return this.#own(queue).processUntilReturn(queue);
  }

  /** Whoever processes the queue until a return is requested returns, behind all that was queued before. From any thread. */
  requestReturn(queue: QueueName = 'main'): void {
    checkQueue(queue);
    this.#ask({ kind: 'return', queue });
  }

  /** The thread takes no more tasks: those that it has not begun are cancelled with `thread-shut-down`. From any thread. */
  requestShutdown(): void {
    this.#ask({ kind: 'shutDown' });
  }

  #own(queue: QueueName): ThreadQueues {
    checkQueue(queue);
    if (this.#queues) return this.#queues;
    throw new StateError(
      'thread-elsewhere',
      `The queues of the ${this.name} thread are processed there. Send it a task that does it with \`task.thread\`, or request a return.`,
    );
  }
}

/** The handle of queues that are here. */
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

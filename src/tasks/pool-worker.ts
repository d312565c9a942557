/**
 * One worker of the pool, as the page sees it: orders go out, and each is answered once, in order. A worker that has died
 * answers all that it owed with the error that says so.
 */
import { errorFromData, messageOf, ThreadError } from '../core/errors.js';
import type { Changes } from './task-arguments.js';
import type { TaskAnswer, TaskOrder } from './task-messages.js';

/** What the pool needs of a `Worker`. */
export interface WorkerLike {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

interface Owed {
  readonly resolve: (done: { readonly result: unknown; readonly changes: readonly Changes[] }) => void;
  readonly reject: (error: unknown) => void;
}

export class PoolWorker {
  readonly name: string;
  /** Numbers of the modules that it was told to load. */
  readonly modules = new Map<number, Promise<unknown>>();
  /** What it does now, for messages; null: nothing. */
  task: string | null = null;
  /** It has answered at least once: its script is there. */
  hasAnswered = false;
  readonly #worker: WorkerLike;
  readonly #owed: Owed[] = [];

  /** @param onDeath called once, before the orders that it owes are rejected */
  constructor(name: string, worker: WorkerLike, onDeath: (worker: PoolWorker, error: ThreadError) => void) {
    this.name = name;
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<TaskAnswer>) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      const during = this.task === null ? '' : ` while it ran the task ${this.task}`;
      const error = new ThreadError(
        'task-worker-died',
        `${name} of the task system died${during}: ${messageOf(event)}. ${
          this.hasAnswered
            ? 'Tasks that were queued go on in others; what this one was writing is not to be trusted.'
            : 'Serve task-worker.js beside the library, or give its place as `workerUrl`.'
        }`,
      );
      onDeath(this, error);
      this.end(error);
    };
  }

  /** @throws DOMException `DataCloneError` where the order can't be sent */
  order(order: TaskOrder): Promise<{ readonly result: unknown; readonly changes: readonly Changes[] }> {
    this.#worker.postMessage(order);
    return new Promise((resolve, reject) => this.#owed.push({ resolve, reject }));
  }

  /** Ends the worker; whatever it owes is rejected with `reason`. */
  end(reason: unknown): void {
    this.#worker.onmessage = this.#worker.onerror = null;
    this.#worker.terminate();
    for (const owed of this.#owed.splice(0)) owed.reject(reason);
  }

  #hear(answer: TaskAnswer): void {
    this.hasAnswered = true;
    const owed = this.#owed.shift();
    if (answer.kind === 'done') owed?.resolve(answer);
    else owed?.reject(thrownBy(answer));
  }
}

/** The error as the task threw it, with its stack; errors of the library with their class and code. */
function thrownBy({ thrown, error }: Extract<TaskAnswer, { kind: 'failed' }>): unknown {
  return thrown === undefined || error.code !== 'internal' ? errorFromData(error) : thrown;
}

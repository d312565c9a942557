/** Messages between the page and a pool worker, a named thread or a runnable, on that thread's own port. */

import type { ErrorData } from '../core/errors.js';
import type { RunnableStage } from '../core/events/event-ring.js';
import type { FenceInvitation } from '../sync/fences/fence-options.js';
import type { Changes, PackedArguments } from './arguments/task-arguments.js';
import type { QueueName, ThreadName, ThreadRequest } from './named-threads/thread-queues.js';
import type { Failure } from './task-errors.js';
import type { ModuleAddress } from './task-module.js';
import type { StartedLoop } from './task-options.js';
import type { TaskPriority } from './task-queue.js';
import type { SetSizes, WorkerSet } from './task-sets.js';

/** Begin and end, in milliseconds since the epoch, so that all threads use one clock. */
export type RanTimes = readonly [began: number, ended: number];

/** The end of a job in shared memory. */
export type JobEnd =
  | {
      readonly kind: 'done';
      readonly value: unknown;
      /** Time for which the task has run. Undefined if it has awaited something, or the result came by message. */
      readonly milliseconds?: number | undefined;
    }
  | ({ readonly kind: 'failed' } & Failure)
  /** The worker that ran the job has died. */
  | { readonly kind: 'lost'; readonly thread: number };

/** A result that does not fit into a slot, or an error. It arrives before or after the end of the job in its slot. */
export interface OutcomeMessage {
  readonly kind: 'outcome';
  readonly slot: number;
  readonly generation: number;
  readonly end: JobEnd;
}

/**
 * Announces shared memory and its number. Jobs refer to the memory by this number (`shared-memory/argument-codec.ts`).
 */
export interface MemoryMessage {
  readonly kind: 'memory';
  readonly number: number;
  /** `null` if the number is not used any more. */
  readonly memory: SharedArrayBuffer | null;
}

/**
 * Reports that a message was lost, because the browser could not read it on the thread that sends this report. The pool
 * and its workers then send their numbered memory again. A runnable's loss is only reported.
 */
interface LostMessage {
  readonly kind: 'lost';
}

/** The sizes of the memory that a task system's threads share (`shared-memory/task-memory.ts`). */
export interface TaskMemoryShape {
  /** Largest number of workers, plus one for the page. */
  readonly threads: number;
  /** Largest number of jobs in flight per thread, a multiple of 32. */
  readonly slots: number;
  /** Entries per queue, a power of two. It is more than `slots`, because retracted jobs leave their entries behind. */
  readonly ring: number;
  /** Words per slot. */
  readonly slotWords: number;
  /** Queues per thread. */
  readonly queues: number;
  /** Counters of `parallelFor`. */
  readonly counters: number;
  /** Tickets of each queue (`OrderTickets`). */
  readonly tickets: number;
}

/** Orders a thread to run the module of a runnable (`runnable/serve-runnable.ts`). */
export interface RunnableOrder {
  readonly kind: 'runnable';
  readonly url: string;
  readonly name: string;
  readonly args: unknown;
  readonly port: MessagePort;
  /** Shared words: | stop | request to suspend | notes of held locks … |. `null` without shared memory. */
  readonly words: Int32Array | null;
  /** Number of the thread in lock words. */
  readonly identity: number;
  /** True on the page's thread, which keeps no notes of held locks (`blocking/lock-holder.ts`). */
  readonly isHere: boolean;
}

/** Asks a runnable to pause at its next safe point, or lets it continue. */
export type SuspendRequest =
  | { readonly kind: 'suspend'; readonly request: number }
  | { readonly kind: 'resume' };

/** Messages from the thread of a runnable. */
export type RunnableNotice =
  | { readonly kind: 'initialised' }
  /** Reports that the runnable has paused for this request. */
  | { readonly kind: 'suspended'; readonly request: number }
  /** Times of one function of the runnable, until its promise has settled. */
  | { readonly kind: 'runnableRan'; readonly stage: RunnableStage; readonly ran: RanTimes }
  | { readonly kind: 'runnableEnded'; readonly result: unknown }
  | ({ readonly kind: 'runnableFailed'; readonly stage: 'init' | 'run' } & Failure)
  | ({ readonly kind: 'runnableError' } & Failure)
  | LostMessage
  | MemoryMessage;

/** Orders to the worker, which answers each order once. */
export type TaskOrder =
  /** Loads a module whose address was sent in an earlier notice. */
  | { readonly kind: 'load'; readonly module: number }
  /** Runs a task once over a range. */
  | ({
      readonly kind: 'run';
      readonly begin: number;
      readonly end: number;
      /** Whether the worker takes no other jobs until the task has ended, also while it awaits something. */
      readonly holdsWorker?: boolean;
      /** Queue of a named thread. */
      readonly queue?: QueueName | undefined;
      readonly priority?: TaskPriority;
    } & OrderedTask)
  /** Takes ranges of `batch` indices from the counter, and runs the task over each range, until none is left. */
  | ({
      readonly kind: 'share';
      /** The next index, as the only element. From `count` on no range is left. */
      readonly counter: Int32Array;
      readonly count: number;
      readonly batch: number;
    } & OrderedTask);

interface OrderedTask {
  readonly module: number;
  readonly name: string;
  readonly set: WorkerSet;
  readonly args: unknown;
  /** Replaces `args` on pages that can't share memory. */
  readonly packed: PackedArguments | null;
}

/** Notices to the worker. Unlike an order, a notice gets no `TaskAnswer`. */
export type TaskNotice =
  /** Makes the worker take jobs from shared memory as well. */
  | {
      readonly kind: 'join';
      readonly buffer: SharedArrayBuffer;
      readonly shape: TaskMemoryShape;
      readonly thread: number;
      /** Number that identifies this worker in lock words, from 1 to 2³⁰ − 1. No other thread has the same number. */
      readonly identity: number;
      /** Number of earlier workers with the same thread number. */
      readonly incarnation: number;
      readonly order: readonly number[];
      readonly sizes: SetSizes;
      /** Memory of the worker's event ring; `null` without a timeline. */
      readonly events: ArrayBufferLike | null;
    }
  | ({ readonly kind: 'module' } & ModuleAddress)
  /**
   * Invites the worker to the engine's fences, or reports why it can't join them. `name` is the worker's name for
   * messages.
   */
  | ({ readonly kind: 'fences'; readonly request: number; readonly name: string } & (
      | { readonly invitation: FenceInvitation }
      | { readonly invitation: null; readonly error: ErrorData }
    ))
  /**
   * Makes the worker take part in a loop of another thread (`shared-memory/worker-loop.ts`). A `memory` of `null` ends
   * the loop for this worker.
   */
  | { readonly kind: 'resident'; readonly memory: SharedArrayBuffer | null }
  /** Forwards a message from the thread that runs the loop. */
  | { readonly kind: 'residentMessage'; readonly message: unknown }
  | LostMessage
  | MemoryMessage
  | OutcomeMessage
  | ThreadRequest
  /** Ends the worker's service: it takes no more jobs, begins no queued jobs, cleans up, and answers `exited`. */
  | { readonly kind: 'exit' }
  | RunnableOrder
  | SuspendRequest
  | { readonly kind: 'stop' }
  /** Asks for the notice `answer`, as a sign of life. */
  | { readonly kind: 'ask' }
  /** Answers `fetch`. The order was sent before this notice, unless the job was withdrawn. */
  | { readonly kind: 'fetched' }
  /** Withdraws an order. */
  | { readonly kind: 'retract'; readonly number: number }
  /** Reports the end of a task that the worker has requested with `start`. */
  | {
      readonly kind: 'startEnded';
      readonly started: number;
      readonly changes: readonly Changes[];
      readonly answer: TaskAnswer;
    };

/** Answer of the worker to one order. */
export type TaskAnswer =
  | ({
      readonly kind: 'done';
      readonly result: unknown;
      /** Time for which the task has run on its thread. Undefined for a task that has awaited something. */
      readonly milliseconds?: number | undefined;
      /** True if the order was withdrawn before the task began. */
      readonly isTakenBack?: true;
    } & TaskTraces)
  | ({ readonly kind: 'failed' } & Failure & TaskTraces);

/** Changes and times of a task that has succeeded or failed. */
export interface TaskTraces {
  /** Changes of copies of shared arrays. */
  readonly changes: readonly Changes[];
  /** Begin and end of the task's run, up to its first promise. Undefined if its thread has recorded them in a ring. */
  readonly ran?: RanTimes | undefined;
}

/** An answer with the number of its order. */
export type NumberedAnswer = TaskAnswer & { readonly number: number };

/** A task that the page starts on behalf of another task. */
export interface StartOrder {
  readonly module: number;
  readonly name: string;
  readonly args: unknown;
  readonly priority: TaskPriority;
  readonly set: WorkerSet;
  readonly isTracked: boolean;
  readonly thread?: ThreadName | undefined;
  readonly queue?: QueueName | undefined;
  /** Set for a loop over a range. */
  readonly loop?: StartedLoop | undefined;
}

/** Messages of the worker besides answers. */
export type WorkerNotice =
  /** Names the lock (Web Locks) that the worker holds until it ends. */
  | { readonly kind: 'alive'; readonly lock: string }
  /**
   * Requests the order of a ticket that the worker has claimed. The worker claims nothing else until it receives
   * `fetched`.
   */
  | { readonly kind: 'fetch'; readonly ticket: number }
  /** Reports that jobs of the page have ended in shared memory. */
  | { readonly kind: 'ended' }
  /** Reports that the worker's tasks have created thread locals, which the worker must clean up before it ends. */
  | { readonly kind: 'locals' }
  | { readonly kind: 'exited' }
  /** Answers `ask`. */
  | { readonly kind: 'answer' }
  /** Requests an invitation to the engine's fences. The answer has the number of the request. */
  | { readonly kind: 'fences'; readonly request: number }
  /** Reports that the worker's script runs. */
  | { readonly kind: 'started' }
  /** Reports that a named thread has begun an order. */
  | { readonly kind: 'begun'; readonly number: number }
  /** Requests another worker of this set, because jobs are pending and no worker sleeps. */
  | { readonly kind: 'grow'; readonly set: WorkerSet }
  | LostMessage
  | OutcomeMessage
  | MemoryMessage
  /** Reports the progress of a job in shared memory. */
  | {
      readonly kind: 'progress';
      readonly slot: number;
      readonly generation: number;
      readonly fraction: number;
    }
  | { readonly kind: 'orderProgress'; readonly order: number; readonly fraction: number }
  /** Reports the failure of a task without waiters, or of a clean-up. */
  | ({ readonly kind: 'untracked'; readonly task?: string } & Failure)
  | ({
      readonly kind: 'start';
      readonly started: number;
      readonly packed: PackedArguments | null;
    } & StartOrder);

/** What the page and a pool worker say to each other, on the worker's own port. */

import type { RunnableStage } from '../core/events/event-ring.js';
import type { Changes, PackedArguments } from './arguments/task-arguments.js';
import type { Failure } from './failure.js';
import type { ThreadRequest } from './named-threads/named-thread.js';
import type { QueueName, ThreadName } from './named-threads/thread-queues.js';
import type { TaskPriority } from './task-queue.js';
import type { SetSizes, WorkerSet } from './task-sets.js';
import type { ModuleAddress } from './worker-modules.js';

/** Begin and end, in milliseconds since the epoch: threads have one clock by that. */
export type RanTimes = readonly [began: number, ended: number];

/** How a job in shared memory has ended. */
export type JobEnd =
  | { readonly kind: 'done'; readonly value: unknown }
  | ({ readonly kind: 'failed' } & Failure)
  /** The worker that ran it has died. */
  | { readonly kind: 'lost'; readonly thread: number };

/** What a slot has no room for, or no words: a large result, an error. It comes before or after the slot says its end. */
export interface OutcomeMessage {
  readonly kind: 'outcome';
  readonly slot: number;
  readonly generation: number;
  readonly end: JobEnd;
}

/** Shared memory, by the number that jobs name it with (`shared-memory/shared-memories.ts`). */
export interface MemoryMessage {
  readonly kind: 'memory';
  readonly number: number;
  /** Null: it is not used any more. */
  readonly memory: SharedArrayBuffer | null;
}

/** The browser could not read a message to the thread that says so. Memory is sent to it again. */
interface LostMessage {
  readonly kind: 'lost';
}

/** The sizes of the memory that a task system's threads share (`shared-memory/task-memory.ts`). */
export interface TaskMemoryShape {
  /** The page and the most workers. */
  readonly threads: number;
  /** Jobs of one thread that may be in flight, a multiple of 32. */
  readonly slots: number;
  /** Entries per queue, a power of two: more than `slots`, because what was retracted leaves its entry behind. */
  readonly ring: number;
  /** Words per slot. */
  readonly slotWords: number;
  /** Queues per thread. */
  readonly queues: number;
  /** Counters of `parallelFor`. */
  readonly counters: number;
  /** Tickets of each queue (`order-tickets.ts`). */
  readonly tickets: number;
}

/** To a thread of a runnable: it runs this module (`runnable/serve-runnable.ts`). */
export interface RunnableOrder {
  readonly kind: 'runnable';
  readonly url: string;
  readonly name: string;
  readonly args: unknown;
  readonly port: MessagePort;
  /** | stop | locks that it has … |; null where no memory is shared. */
  readonly words: Int32Array | null;
  /** Locks name their holder by it. */
  readonly identity: number;
  /** It is the page's thread, which has no locks to name. */
  readonly isHere: boolean;
}

/** From a thread of a runnable. */
export type RunnableNotice =
  | { readonly kind: 'initialised' }
  /** When it ran one of its functions, promises included. */
  | { readonly kind: 'runnableRan'; readonly stage: RunnableStage; readonly ran: RanTimes }
  | { readonly kind: 'runnableEnded'; readonly result: unknown }
  | ({ readonly kind: 'runnableFailed'; readonly stage: 'init' | 'run' } & Failure)
  | ({ readonly kind: 'runnableError' } & Failure)
  | LostMessage
  | MemoryMessage;

/** To the worker, which answers each once. */
export type TaskOrder =
  /** Loads a module that it was told the address of. */
  | { readonly kind: 'load'; readonly module: number }
  /** Runs a task once over a range. */
  | ({
      readonly kind: 'run';
      readonly begin: number;
      readonly end: number;
      /** Of a named thread: where it stands until it runs. */
      readonly queue?: QueueName | undefined;
      readonly priority?: TaskPriority;
    } & OrderedTask)
  /** Takes ranges of `batch` indices from the counter, and runs the task over each, until none is left. */
  | ({
      readonly kind: 'share';
      /** [next index] in shared memory; beyond `count` nothing is left. */
      readonly counter: Int32Array;
      readonly count: number;
      readonly batch: number;
    } & OrderedTask);

interface OrderedTask {
  readonly module: number;
  readonly name: string;
  readonly set: WorkerSet;
  readonly args: unknown;
  /** In place of `args` where no memory is shared. */
  readonly packed: PackedArguments | null;
}

/** To the worker, which answers none of it. */
export type TaskNotice =
  /** From now on it takes jobs from shared memory as well. */
  | {
      readonly kind: 'join';
      readonly buffer: SharedArrayBuffer;
      readonly shape: TaskMemoryShape;
      readonly thread: number;
      /** From 1 to 2³⁰ − 1, of this worker alone: locks name their holder by it. */
      readonly identity: number;
      /** How many workers have had the same number before. */
      readonly incarnation: number;
      readonly order: readonly number[];
      readonly sizes: SetSizes;
      /** Of its event ring; null: nobody looks at what it does. */
      readonly events: ArrayBufferLike | null;
    }
  | ({ readonly kind: 'module' } & ModuleAddress)
  | LostMessage
  | MemoryMessage
  | OutcomeMessage
  | ThreadRequest
  /** It takes no more jobs, begins none of those that wait in its queues, cleans up, and says `exited`. */
  | { readonly kind: 'exit' }
  | RunnableOrder
  | { readonly kind: 'stop' }
  /** What it has fetched was the order before this, or nothing: nobody wants it any more. */
  | { readonly kind: 'fetched' }
  /** Nobody wants this order any more. */
  | { readonly kind: 'retract'; readonly number: number }
  /** The end of a task that it has asked the page to start. */
  | {
      readonly kind: 'startEnded';
      readonly started: number;
      readonly changes: readonly Changes[];
      readonly answer: TaskAnswer;
    };

/** From the worker: the answer to the order before, each to one. */
export type TaskAnswer =
  | ({
      readonly kind: 'done';
      readonly result: unknown;
      /** Of a task that has awaited nothing: how long it had its thread. */
      readonly milliseconds?: number | undefined;
    } & TaskTraces)
  | ({ readonly kind: 'failed' } & Failure & TaskTraces);

/** What a task leaves behind, whether it has succeeded or not. */
export interface TaskTraces {
  /** What it has written into copies of shared arrays. */
  readonly changes: readonly Changes[];
  /** When it had its thread, up to its first promise. */
  readonly ran?: RanTimes | undefined;
}

/** Says which order it is the answer to. */
export type NumberedAnswer = TaskAnswer & { readonly number: number };

/** What a task wants to be started by the page. */
export interface StartOrder {
  readonly module: number;
  readonly name: string;
  readonly args: unknown;
  readonly priority: TaskPriority;
  readonly set: WorkerSet;
  readonly isTracked: boolean;
  readonly thread?: ThreadName | undefined;
  readonly queue?: QueueName | undefined;
}

/** From the worker, besides answers. */
export type WorkerNotice =
  /** It holds this lock (Web Locks) as long as it lives. */
  | { readonly kind: 'alive'; readonly lock: string }
  /** It has claimed this ticket, and claims nothing else until it has been told `fetched`. */
  | { readonly kind: 'fetch'; readonly ticket: number }
  /** Jobs of the page have ended in shared memory. */
  | { readonly kind: 'ended' }
  /** Its tasks have left something on its thread that it is to clean up before it ends. */
  | { readonly kind: 'locals' }
  | { readonly kind: 'exited' }
  /** Its script runs. */
  | { readonly kind: 'started' }
  /** A named thread has begun with an order. */
  | { readonly kind: 'begun'; readonly number: number }
  /** Jobs of this set wait, and nobody is there who sleeps. */
  | { readonly kind: 'grow'; readonly set: WorkerSet }
  | LostMessage
  | OutcomeMessage
  | MemoryMessage
  /** Of a job in shared memory. */
  | {
      readonly kind: 'progress';
      readonly slot: number;
      readonly generation: number;
      readonly fraction: number;
    }
  | { readonly kind: 'orderProgress'; readonly order: number; readonly fraction: number }
  /** A task that nobody waits for has failed, or what cleans up behind tasks. */
  | ({ readonly kind: 'untracked'; readonly task?: string } & Failure)
  | ({
      readonly kind: 'start';
      readonly started: number;
      readonly packed: PackedArguments | null;
    } & StartOrder);

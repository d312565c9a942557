/**
 * The queues of a named thread, on that thread (SYSTEMS T2). Tasks of the main queue run by themselves, between turns
 * of the event loop. Tasks of the local queue run only while code on the thread processes it.
 *
 *   main    ─► as they come ────────────────────────────────► task, task …      8 ms, then a turn of the event loop
 *   local   ─► processUntilIdle │ processUntilReturn ────────► task, task … ─ return request ─► the call returns
 *
 * A return request is queued behind earlier tasks, so all of them still run. A request without a processing call is
 * kept for the next call. Only one call processes a queue at a time. A task of a queue may process the other queue, but
 * not its own (the recursion guard).
 */
import { OptionError, StateError } from '../../core/errors.js';
import { type Clock, systemClock } from '../../sync/deadline.js';
import { SLICE, SliceRunner, type TaskPriority, TaskQueue } from '../task-queue.js';

export type ThreadName = 'game' | 'render' | 'rhi';
export const THREAD_NAMES: readonly ThreadName[] = ['game', 'render', 'rhi'];

export type QueueName = 'main' | 'local';
export const QUEUE_NAMES: readonly QueueName[] = ['main', 'local'];

/** An entry of a queue. */
export interface QueuedCall {
  readonly priority: TaskPriority;
  /** True when the call need not run any more. */
  readonly isOver: boolean;
  /** Runs the call. Must not throw. */
  run(): void;
  /** Called instead of `run` when the thread takes no more tasks. */
  abandon(reason: StateError): void;
}

interface Line {
  readonly calls: TaskQueue<QueuedCall>;
  /** True while a call processes the queue: the recursion guard. */
  isProcessed: boolean;
  /** Number of return requests that have reached the head of the queue. Each of them ends one processing call. */
  returnsDue: number;
  /** Number of unsettled promises of `pumpUntil`. The queue is pumped while there are any. */
  pumps: number;
  /** Wakes the call that has processed all entries and waits for more. */
  wake: (() => void) | null;
}

const lineOf = (): Line => ({
  calls: new TaskQueue(),
  isProcessed: false,
  returnsDue: 0,
  pumps: 0,
  wake: null,
});

export class ThreadQueues {
  readonly #lines: Readonly<Record<QueueName, Line>> = { main: lineOf(), local: lineOf() };
  readonly #clock: Clock;
  readonly #pump: SliceRunner;
  #isShutDown = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    const { main } = this.#lines;
    this.#pump = new SliceRunner(
      () => !main.isProcessed && main.calls.peek() !== undefined,
      async () => void this.#runOne(main),
      clock,
    );
  }

  get isShutDown(): boolean {
    return this.#isShutDown;
  }

  push(call: QueuedCall, queue: QueueName): void {
    if (this.#isShutDown) {
      call.abandon(shutDownError());
      return;
    }
    const line = this.#lines[queue];
    line.calls.push(call, call.priority);
    this.#look(queue, line);
  }

  /**
   * Runs the calls in the queue, and calls that arrive meanwhile, until the queue is empty.
   * @returns number of calls that ran, including return requests
   * @throws StateError `queue-in-process`
   */
  processUntilIdle(queue: QueueName): number {
    const line = this.#enter(queue);
    const returnsBefore = line.returnsDue;
    try {
      let count = 0;
      while (!this.#isShutDown && line.calls.peek()) {
        line.calls.take()?.run();
        count++;
      }
      // Return requests are entries of the queue, but not calls.
      return count - (line.returnsDue - returnsBefore);
    } finally {
      this.#leave(queue, line);
    }
  }

  /**
   * Runs calls of the main queue for 8 ms at most, unless another call processes the queue. The remaining calls run
   * later, in turns of the event loop.
   */
  runPending(): void {
    const { main } = this.#lines;
    const began = this.#clock.now();
    while (!main.isProcessed && main.calls.peek() && this.#clock.now() - began < SLICE) this.#runOne(main);
  }

  /**
   * Runs the calls in the queue, and all calls that arrive, until a return or the thread's shutdown is requested.
   * @returns rejects with StateError `queue-in-process`
   */
  async processUntilReturn(queue: QueueName): Promise<'returned' | 'shut down'> {
    return this.#process(queue, (line) => {
      if (line.returnsDue === 0) return false;
      line.returnsDue--;
      return true;
    });
  }

  async #process(queue: QueueName, isOver: (line: Line) => boolean): Promise<'returned' | 'shut down'> {
    const line = this.#enter(queue);
    try {
      let began = this.#clock.now();
      for (;;) {
        if (this.#isShutDown) return 'shut down';
        if (isOver(line)) return 'returned';
        // No call can arrive between this check and setting `wake`: both happen in one turn of the event loop.
        const isLate = this.#clock.now() - began >= SLICE;
        if (line.calls.peek() && !isLate) {
          line.calls.take()?.run();
          continue;
        }
        await new Promise<void>((resolve) => {
          line.wake = resolve;
          if (isLate) this.#clock.set(resolve, 0);
        });
        line.wake = null;
        began = this.#clock.now();
      }
    } finally {
      this.#leave(queue, line);
    }
  }

  /**
   * Runs calls of the queue until all promises that were passed to this method have settled. While another processing
   * call is pending, that call runs them instead.
   */
  pumpUntil(queue: QueueName, promise: PromiseLike<unknown>): void {
    const line = this.#lines[queue];
    line.pumps++;
    this.#pumpAgain(queue, line);
    const end = (): void => {
      if (--line.pumps === 0) line.wake?.();
    };
    promise.then(end, end);
  }

  /**
   * Ends the pending call of `processUntilReturn`, or else the next one, once all earlier entries of the queue have
   * run.
   */
  requestReturn(queue: QueueName): void {
    const line = this.#lines[queue];
    this.push(
      {
        priority: 'normal',
        isOver: false,
        run: () => {
          line.returnsDue++;
        },
        abandon: () => {},
      },
      queue,
    );
  }

  /** Ends all processing calls, and abandons queued and later calls. */
  shutDown(): void {
    if (this.#isShutDown) return;
    this.#isShutDown = true;
    for (const line of Object.values(this.#lines)) {
      for (let call = line.calls.take(); call; call = line.calls.take()) call.abandon(shutDownError());
      line.wake?.();
    }
  }

  #runOne(line: Line): void {
    line.isProcessed = true;
    try {
      line.calls.take()?.run();
    } finally {
      line.isProcessed = false;
    }
  }

  #enter(queue: QueueName): Line {
    const line = this.#lines[queue];
    if (line.isProcessed) {
      throw new StateError(
        'queue-in-process',
        `The ${queue} queue of this thread is being processed already, by a call further up the stack or by a pending one. Process the other queue, or return first.`,
      );
    }
    line.isProcessed = true;
    return line;
  }

  #leave(queue: QueueName, line: Line): void {
    line.isProcessed = false;
    this.#look(queue, line);
    this.#pumpAgain(queue, line);
  }

  #pumpAgain(queue: QueueName, line: Line): void {
    if (line.pumps > 0 && !line.isProcessed && !this.#isShutDown)
      void this.#process(queue, () => line.pumps === 0);
  }

  #look(queue: QueueName, line: Line): void {
    line.wake?.();
    if (queue === 'main' && !line.isProcessed && line.calls.peek()) this.#pump.wake();
  }
}

const shutDownError = (): StateError =>
  new StateError(
    'thread-shut-down',
    'The shutdown of this thread was requested: it takes no more tasks. Send them to another thread.',
  );

/** A request from another thread to a named thread. */
export type ThreadRequest =
  | { readonly kind: 'return'; readonly queue: QueueName }
  | { readonly kind: 'shutDown' };

/**
 * A named thread: tasks are sent to it by its name (`{ thread: 'render' }`), to its main or its local queue. `game` is
 * the thread that owns the task system; an engine also has `render` and `rhi`. A missing thread is replaced by the
 * previous thread in this order.
 */
export class NamedThread {
  /** Name of the thread that runs the tasks. It differs from the requested name if that thread is missing. */
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
   * @returns number of tasks and return requests that ran
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

  /**
   * @internal Runs tasks of the local queue until the promise has settled. Only code on the named thread may call it.
   */
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

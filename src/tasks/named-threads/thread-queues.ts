/**
 * The queues of a named thread, on that thread (SYSTEMS T2). Tasks of the main queue run by themselves, between turns of the event
 * loop; those of the local queue run only while somebody on the thread processes it, at a point of that one's choice.
 *
 *   main    ─► as they come ────────────────────────────────► task, task …      8 ms, then a turn of the event loop
 *   local   ─► processUntilIdle │ processUntilReturn ────────► task, task … ─ return request ─► goes on behind the call
 *
 * A return request stands in the queue behind what was queued before it, so nothing of that is left out; those that nobody waits
 * for are kept, each for one who does. A queue is processed by one at a time: whoever is called by it may process the other queue,
 * and is refused for its own (the recursion guard).
 */
import { StateError } from '../../core/errors.js';
import { type Clock, systemClock } from '../../sync/deadline.js';
import { SLICE, SliceRunner } from '../slice-runner.js';
import { type TaskPriority, TaskQueue } from '../task-queue.js';

export type ThreadName = 'game' | 'render' | 'rhi';
export const THREAD_NAMES: readonly ThreadName[] = ['game', 'render', 'rhi'];

export type QueueName = 'main' | 'local';
export const QUEUE_NAMES: readonly QueueName[] = ['main', 'local'];

/** What waits in a queue. */
export interface QueuedCall {
  readonly priority: TaskPriority;
  /** Nobody wants it any more. */
  readonly isOver: boolean;
  /** Does not throw. */
  run(): void;
  /** The thread takes no more tasks. */
  abandon(reason: StateError): void;
}

interface Line {
  readonly calls: TaskQueue<QueuedCall>;
  /** Somebody processes it: the guard. */
  isProcessed: boolean;
  /** Requests that nobody has returned for: as many of those who come next do so at once. */
  returnsDue: number;
  /** Of who has processed all of it and waits for more. */
  wake: (() => void) | null;
}

const lineOf = (): Line => ({
  calls: new TaskQueue(),
  isProcessed: false,
  returnsDue: 0,
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
   * Runs what is in the queue, and what comes meanwhile, until it is empty.
   * @returns how many calls there were
   * @throws StateError `queue-in-process`
   */
  processUntilIdle(queue: QueueName): number {
    const line = this.#enter(queue);
    try {
      let count = 0;
      while (!this.#isShutDown && line.calls.peek()) {
        line.calls.take()?.run();
        count++;
      }
      return count;
    } finally {
      this.#leave(queue, line);
    }
  }

  /** Runs what waits in the main queue, for 8 ms at most; nothing while somebody processes it. The rest runs by itself, as ever. */
  runPending(): void {
    const { main } = this.#lines;
    const began = this.#clock.now();
    while (!main.isProcessed && main.calls.peek() && this.#clock.now() - began < SLICE) this.#runOne(main);
  }

  /**
   * Runs what is in the queue and what will come, until a return or the thread's shutdown is requested.
   * @returns rejects with StateError `queue-in-process`
   */
  async processUntilReturn(queue: QueueName): Promise<'returned' | 'shut down'> {
    const line = this.#enter(queue);
    try {
      let began = this.#clock.now();
      for (;;) {
        if (this.#isShutDown) return 'shut down';
        if (line.returnsDue > 0) {
          line.returnsDue--;
          return 'returned';
        }
        // Nothing comes between the look at an empty queue and the mark that somebody waits: both are of one turn.
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

  /** Who processes the queue until then returns when all that was queued before has begun; nobody there: the next one who does. */
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

  /** Whoever processes a queue returns; what is queued, and what comes later, is abandoned. */
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
        `The ${queue} queue of this thread is being processed already, by a call further down or by one that waits. Process the other queue, or return first.`,
      );
    }
    line.isProcessed = true;
    return line;
  }

  #leave(queue: QueueName, line: Line): void {
    line.isProcessed = false;
    this.#look(queue, line);
  }

  #look(queue: QueueName, line: Line): void {
    line.wake?.();
    if (queue === 'main' && !line.isProcessed && line.calls.peek()) this.#pump.wake();
  }
}

const shutDownError = (): StateError =>
  new StateError(
    'thread-shut-down',
    'The shutdown of this thread was requested: it takes no more tasks. Send them to another one.',
  );

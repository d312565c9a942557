/**
 * The loop of a pool worker with shared memory: it takes jobs from the queues until none is left, then sleeps.
 *
 *   mail? ─► a turn of the event loop ─┐
 *   ended own jobs ─► promises         ├─► claim ─► run ─► complete ─► …        nothing to claim: sleep
 *                                      │              └─ a promise: runs other jobs meanwhile (SYSTEMS T5)
 *
 * The loop first sleeps in `Atomics.wait` for a moment, from which it wakes in microseconds. Then it sleeps in its
 * event loop, which messages, timers and the network can wake as well. It never blocks while a task awaits something.
 */
import { waitAsyncHere } from '../../core/streams/word-listening.js';
import type { TaskStarter } from '../execution/task-context.js';
import type { WorkerModule } from '../task-module.js';
import type { WorkerSet } from '../task-sets.js';
import { SharedStarter } from './shared-starter.js';
import { SlotRunner, type WorkerLoopHost } from './slot-runner.js';
import { Thread } from './task-memory.js';

/** Longest blocking sleep before the worker returns to its event loop, in milliseconds. */
const WARM = 2;
/**
 * Longest blocking sleep while there is a resident loop, in milliseconds. It is longer than a frame, so that the next
 * frame's loop wakes the worker at once.
 */
const WARM_BESIDE_LOOP = 50;
/** Interval of event loop turns while promises are pending, in milliseconds. */
const SLICE = 4;
/** Poll interval in browsers without `Atomics.waitAsync`, in milliseconds. */
const LOOK = 4;

export class WorkerLoop {
  readonly #host: WorkerLoopHost;
  readonly #runner: SlotRunner;
  readonly #channel = new MessageChannel();
  #onFetched: (() => void) | null = null;
  #isEnded = false;
  #resident: ResidentLoop | null = null;

  constructor(host: WorkerLoopHost) {
    this.#host = host;
    this.#runner = new SlotRunner(host);
  }

  /** Makes the loop take no more jobs: the thread is about to be terminated, or a test simulates that. */
  end(): void {
    this.#isEnded = true;
    this.#channel.port1.close();
  }

  /** Continues jobs and results that were waiting for memory. */
  readAgain(): void {
    this.#host.owned.readAgain();
    this.#runner.readAgain();
  }

  /**
   * Takes part in another thread's loop from now on. Ranges of the loop run before jobs of the queues.
   * @param resident the loop; `null` ends the participation
   */
  reside(resident: ResidentLoop | null): void {
    this.#resident = resident;
    this.#lookAgain();
  }

  /** Forwards a message to the resident loop. */
  hearResident(message: unknown): void {
    this.#resident?.hear(message);
    this.#lookAgain();
  }

  /** Continues the loop after the order of a claimed ticket has begun on this thread, or was withdrawn. */
  fetched(): void {
    this.#onFetched?.();
    this.#onFetched = null;
  }

  /**
   * Prepares the thread to run a task that arrived by message. The thread counts as awake, and checks for jobs after
   * the task. Sleeping workers are woken for pending jobs.
   * @returns a starter for the task, which also uses shared memory
   */
  makeWayFor(module: WorkerModule, set: WorkerSet, tellProgress: (fraction: number) => void): TaskStarter {
    const { queues, order } = this.#host;
    queues.wake(queues.thread);
    queues.passOn(order);
    return new SharedStarter(this.#host, this.#runner, module, set, tellProgress);
  }

  async serve(): Promise<void> {
    const { queues, owned, order, spare } = this.#host;
    let turnedAt = performance.now();
    let mayContinue = false;
    while (!this.#isEnded && !queues.isShutDown) {
      if (owned.collect()) mayContinue = true;
      spare.publish();
      const isLate = this.#runner.isAwaiting && performance.now() - turnedAt > SLICE;
      if (queues.takeMail() || isLate) {
        queues.passOn(order);
        await this.#turn();
        turnedAt = performance.now();
        mayContinue = false;
        continue;
      }
      if (this.#resident?.hasWork) {
        this.#resident.takePart();
        continue;
      }
      // Run own jobs first, as `claim` does.
      if (spare.size > 0) {
        queues.passOn(order);
        spare.runOne();
        await undefined;
        continue;
      }
      const slot = queues.claim(order);
      if (slot >= 0) {
        // Wait for a job that can't run yet. Leave further jobs to other workers meanwhile.
        const loading = queues.memory.isTicket(slot) ? this.#fetch(slot) : this.#runner.run(slot);
        if (loading) await loading;
        else if (this.#runner.isAwaiting) await undefined; // continuations of tasks that await
        continue;
      }
      // Before this thread marks itself asleep, let tasks continue whose awaited jobs have ended.
      if (mayContinue && this.#runner.isAwaiting) {
        await this.#turn();
        turnedAt = performance.now();
        mayContinue = false;
        continue;
      }
      const bell = queues.prepareSleep(order, this.#isNeededByEventLoop);
      if (bell === null) continue;
      // Check the resident loop once more after this thread has marked itself asleep (`ResidentLoop`).
      if (this.#resident?.hasWork) {
        queues.wakeUp();
        continue;
      }
      await this.#sleep(bell);
      queues.wakeUp();
      turnedAt = performance.now();
    }
  }

  /**
   * Requests the order of a ticket. The worker stays in its event loop until the order arrives, so no job can delay
   * it.
   */
  #fetch(ticket: number): Promise<void> {
    this.#host.post({ kind: 'fetch', ticket });
    return new Promise((resolve) => {
      this.#onFetched = resolve;
    });
  }

  async #sleep(bell: number): Promise<void> {
    const { queues, mayBlock } = this.#host;
    const { words } = queues.memory;
    const at = queues.memory.threadAt(queues.thread) + Thread.bell;
    if (mayBlock && !this.#isNeededByEventLoop) {
      queues.wait(bell, this.#resident ? WARM_BESIDE_LOOP : WARM);
      if (words[at] !== bell) return;
    }
    const waitAsync = waitAsyncHere();
    if (waitAsync) {
      const waited = waitAsync(words, at, bell, 1000);
      if (waited.async) await waited.value;
    } else await new Promise((resolve) => setTimeout(resolve, LOOK));
  }

  /** Whether something on this thread waits for its event loop, so that the thread must not block. */
  get #isNeededByEventLoop(): boolean {
    return this.#runner.isAwaiting || this.#host.isBusyElsewhere() || (this.#resident?.isWaiting ?? false);
  }

  /** Wakes this thread's own loop from its sleep in the event loop. */
  #lookAgain(): void {
    const { queues } = this.#host;
    queues.wake(queues.thread);
  }

  #turn(): Promise<unknown> {
    return new Promise((resolve) => {
      this.#channel.port1.onmessage = resolve;
      this.#channel.port2.postMessage(null);
    });
  }
}

/**
 * A worker's side of a resident loop: a loop of another thread in which pool workers take part whenever they are free
 * (SYSTEMS T14). The render thread's culling is a resident loop. The workers that serve the high set take ranges of it.
 * It has no jobs and no slots, so a loop of some hundred microseconds costs one wake-up per sleeping worker.
 *
 *   the loop's thread   arguments, ranges ─► epoch ─► `wakeAll` of the high set ─► its own ranges ─► results
 *   a worker            hasWork? ─► takePart ─► queues ─► asleep ─► hasWork? ─► sleeps
 *
 * No wake-up is lost, because both sides write first and check afterwards. The loop writes its epoch before it looks
 * for sleepers. A worker marks itself asleep before it looks at the epoch for the last time.
 */
interface ResidentLoop {
  /** Whether there may be ranges that this thread has not tried to take. False while `isWaiting`. */
  readonly hasWork: boolean;
  /**
   * Whether shared memory is missing. The thread must then return to its event loop, where the message with the memory
   * arrives.
   */
  readonly isWaiting: boolean;
  /** Takes ranges until none is left, or until shared memory is missing. */
  takePart(): void;
  /** Receives a message of the loop's thread. */
  hear(message: unknown): void;
}

/**
 * Opens a worker's side of a resident loop.
 * @param memory the loop's shared words
 * @param thread number of the worker among the threads of the pool, from 1
 * @param events memory of the ring for the worker's events; `null` without a timeline
 */
export type OpenResidentLoop = (
  memory: SharedArrayBuffer,
  thread: number,
  events: ArrayBufferLike | null,
) => ResidentLoop;

/** Description of a resident loop, for the page's side of the pool. */
export interface ResidentLoopSource {
  readonly memory: SharedArrayBuffer;
  /** Returns the messages that a worker needs before it can take part. */
  messages(): Iterable<unknown>;
}

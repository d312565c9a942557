/**
 * What a pool worker does where memory is shared: takes jobs from the queues until none is left, and sleeps.
 *
 *   mail? ─► a turn of the event loop ─┐
 *   ended jobs of its own ─► promises  ├─► claim ─► run ─► complete ─► …        nothing to claim: sleep
 *                                      │              └─ a promise: goes on with others meanwhile (SYSTEMS T5)
 *
 * It sleeps in `Atomics.wait` for a moment, which is woken in microseconds, and then in its event loop, which messages,
 * timers and the network can wake as well. While a task awaits something it never blocks.
 */
import { waitAsyncHere } from '../../core/streams/word-listening.js';
import type { TaskStarter } from '../execution/task-context.js';
import type { WorkerSet } from '../task-sets.js';
import type { WorkerModule } from '../worker-modules.js';
import { SharedStarter } from './shared-starter.js';
import { SlotRunner, type WorkerLoopHost } from './slot-runner.js';
import { Thread } from './task-memory.js';

/** How long it blocks for new jobs before it returns to its event loop. Milliseconds. */
const WARM = 2;
/** With promises under way the event loop gets a turn so often. Milliseconds. */
const SLICE = 4;
/** Where nothing wakes an event loop through shared memory, it looks so often. Milliseconds. */
const LOOK = 4;

export class WorkerLoop {
  readonly #host: WorkerLoopHost;
  readonly #runner: SlotRunner;
  readonly #channel = new MessageChannel();
  #onFetched: (() => void) | null = null;
  #isEnded = false;

  constructor(host: WorkerLoopHost) {
    this.#host = host;
    this.#runner = new SlotRunner(host);
  }

  /** It takes no more jobs: the thread is about to be terminated, or a test's is to seem so. */
  end(): void {
    this.#isEnded = true;
    this.#channel.port1.close();
  }

  /** Memory has arrived. */
  readAgain(): void {
    this.#host.owned.readAgain();
    this.#runner.readAgain();
  }

  /** The order that a ticket stood for has begun here, or nobody wants it any more. */
  fetched(): void {
    this.#onFetched?.();
    this.#onFetched = null;
  }

  /**
   * A task that came by message gets the thread, which is awake from now on, and looks for jobs behind it: what it was rung for
   * meanwhile is left to others who sleep.
   * @returns starts tasks for it, in shared memory as well
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
    let mayGoOn = false;
    while (!this.#isEnded && !queues.isShutDown) {
      if (owned.collect()) mayGoOn = true;
      spare.publish();
      const isLate = this.#runner.isAwaiting && performance.now() - turnedAt > SLICE;
      if (queues.takeMail() || isLate) {
        queues.passOn(order);
        await this.#turn();
        turnedAt = performance.now();
        mayGoOn = false;
        continue;
      }
      // Own ones first, as in the queues.
      if (spare.size > 0) {
        queues.passOn(order);
        spare.runOne();
        await undefined;
        continue;
      }
      const slot = queues.claim(order);
      if (slot >= 0) {
        // What it can't run yet it has claimed all the same: others are left to workers that can run them.
        const loading = queues.memory.isTicket(slot) ? this.#fetch(slot) : this.#runner.run(slot);
        if (loading) await loading;
        else if (this.#runner.isAwaiting) await undefined; // continuations of tasks that await
        continue;
      }
      // What goes on because something has ended does so before the thread says that it sleeps: who counts on that would wait.
      if (mayGoOn && this.#runner.isAwaiting) {
        await this.#turn();
        turnedAt = performance.now();
        mayGoOn = false;
        continue;
      }
      const bell = queues.prepareSleep(order, this.#runner.isAwaiting || this.#host.isBusyElsewhere());
      if (bell === null) continue;
      await this.#sleep(bell);
      queues.wakeUp();
      turnedAt = performance.now();
    }
  }

  /** It is in its event loop until the order has come: nothing that it would run meanwhile could keep it from that. */
  #fetch(ticket: number): Promise<void> {
    this.#host.post({ kind: 'fetch', ticket });
    return new Promise((resolve) => {
      this.#onFetched = resolve;
    });
  }

  async #sleep(bell: number): Promise<void> {
    const { queues, mayBlock, isBusyElsewhere } = this.#host;
    const { words } = queues.memory;
    const at = queues.memory.threadAt(queues.thread) + Thread.bell;
    if (mayBlock && !this.#runner.isAwaiting && !isBusyElsewhere()) {
      queues.wait(bell, WARM);
      if (words[at] !== bell) return;
    }
    const waitAsync = waitAsyncHere();
    if (waitAsync) {
      const waited = waitAsync(words, at, bell, 1000);
      if (waited.async) await waited.value;
    } else await new Promise((resolve) => setTimeout(resolve, LOOK));
  }

  #turn(): Promise<unknown> {
    return new Promise((resolve) => {
      this.#channel.port1.onmessage = resolve;
      this.#channel.port2.postMessage(null);
    });
  }
}

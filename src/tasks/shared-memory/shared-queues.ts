/**
 * One thread's operations on jobs in shared memory: publishing, claiming, completing and collecting, without locks.
 * Sleeping and waking are in `sleeping-threads.ts`.
 *
 *   owner      publish ───────────────────────────────────────────────► collect ─► free
 *                 state: queued              running (runner)   done │ failed │ lost
 *   worker                  claim ─► the task ─► complete
 *
 * A state contains a generation and the runner, and changes only by compare-exchange. So an outdated or duplicate entry
 * of a queue claims nothing, and a worker that counts as dead completes nothing.
 */
import { ClaimRing } from './claim-ring.js';
import { SleepingThreads } from './sleeping-threads.js';
import { Header, Slot, type TaskAtomics, type TaskMemory, Thread } from './task-memory.js';

export const Phase = { free: 0, queued: 1, running: 2, done: 3, failed: 4, lost: 5 } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

/** Bits of a state: 0 to 2 the phase, 3 to 9 the runner, from 10 the generation. */
const RUNNER = 3;
const GENERATION = 10;
export const phaseOf = (state: number): number => state & 7;
export const runnerOf = (state: number): number => (state >> RUNNER) & 0x7f;
const stateOf = (generation: number, runner: number, phase: Phase): number =>
  (generation << GENERATION) | (runner << RUNNER) | phase;
const changed = (state: number, runner: number, phase: Phase): number =>
  stateOf(state >> GENERATION, runner, phase);

export class SharedQueues extends SleepingThreads {
  readonly #rings: readonly (readonly ClaimRing[])[];
  readonly #free: number[] = [];
  #isKnown = false;
  /** Slots that were queued when a worker died, and have not been entered into a queue again. */
  #toEnter: number[] = [];

  constructor(memory: TaskMemory, thread: number, atomics: TaskAtomics = Atomics) {
    super(memory, thread, atomics);
    const { threads, queues, ring } = memory.shape;
    this.#rings = Array.from({ length: threads }, (_, producer) =>
      Array.from(
        { length: queues },
        (_, queue) => new ClaimRing(memory.words, memory.ringAt(producer, queue), ring, atomics),
      ),
    );
  }

  /** Owner: returns a free slot of this thread to fill, or −1. */
  allocate(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#isKnown) return -1;
    // A thread that replaces a dead thread also frees the ended slots of the dead thread. No task waits for their jobs
    // any more.
    this.#isKnown = true;
    const first = this.memory.firstSlotOf(this.thread);
    for (let slot = first + this.memory.shape.slots - 1; slot >= first; slot--) {
      const phase = phaseOf(this.state(slot));
      if (phase === Phase.free || phase > Phase.running) this.#free.push(slot);
    }
    return this.#free.pop() ?? -1;
  }

  /** Owner: frees the slot. */
  free(slot: number): void {
    const at = this.memory.slotAt(slot);
    this.store(at, changed(this.load(at), 0, Phase.free));
    this.#free.push(slot);
  }

  /**
   * Owner: lets workers claim the filled slot, or the ticket.
   * @returns false if the queue is full; the slot keeps its content, and no worker can claim it
   */
  publish(slot: number, queue: number): boolean {
    const at = this.memory.slotAt(slot);
    const queued = stateOf((this.load(at) >> GENERATION) + 1, 0, Phase.queued);
    this.store(at + Slot.queue, queue);
    this.store(at, queued);
    if (this.#queue(this.thread, queue).push(slot, queued)) return true;
    this.store(at, changed(queued, 0, Phase.free));
    return false;
  }

  /** Owner: takes back and frees a slot whose job no worker has begun. @returns false if a worker has begun it */
  retract(slot: number): boolean {
    if (!this.withdraw(slot)) return false;
    this.#free.push(slot);
    return true;
  }

  /** Owner: takes back a ticket, or a slot without freeing it. @returns false if a worker has claimed it */
  withdraw(slot: number): boolean {
    const at = this.memory.slotAt(slot);
    const state = this.load(at);
    return phaseOf(state) === Phase.queued && this.change(at, state, changed(state, 0, Phase.free));
  }

  /** Page: resets a ticket that a worker has claimed. */
  clearTicket(ticket: number): void {
    const at = this.memory.slotAt(ticket);
    this.store(at, changed(this.load(at), 0, Phase.free));
  }

  /**
   * Owner: calls `onEnd` for each slot that has ended since the last call. Slots that the caller has not filled belong
   * to a dead thread that this thread replaces. After a worker's death a slot's bit may be set once too
   * often. The bit is ignored if the slot's job has not ended.
   */
  collect(onEnd: (slot: number, phase: number) => void): void {
    const { words } = this.memory;
    const thread = this.memory.threadAt(this.thread);
    this.store(thread + Thread.announced, 0);
    for (let word = 0; word < this.memory.doneWords; word++) {
      if (this.load(thread + Thread.done + word) === 0) continue;
      let bits = this.atomics.exchange(words, thread + Thread.done + word, 0);
      for (let bit = 0; bits !== 0; bit++, bits >>>= 1) {
        if ((bits & 1) === 0) continue;
        const slot = this.memory.firstSlotOf(this.thread) + word * 32 + bit;
        const phase = phaseOf(this.state(slot));
        if (phase > Phase.running) onEnd(slot, phase);
      }
    }
  }

  /**
   * Worker: claims the next job in these queues of all threads, in this order. Wakes sleeping workers for the
   * remaining jobs.
   * @returns the job's slot, or −1 if there is none
   */
  claim(queues: readonly number[]): number {
    const slot = this.claimFrom(queues, this.memory.shape.threads);
    if (slot >= 0) this.passOn(queues);
    return slot;
  }

  /** Worker: wakes sleepers for pending jobs of these queues, because this worker is about to be busy. */
  passOn(queues: readonly number[]): void {
    for (const queue of queues) if (this.hasEntry(queue)) this.wakeOne(queue);
  }

  /**
   * Worker: claims one of its own jobs. A worker that waits within a task may run no other jobs.
   * @returns the job's slot, or −1 if there is none
   */
  claimOwn(queues: readonly number[]): number {
    return this.claimFrom(queues, 1);
  }

  /** Owner: claims exactly this job. Its entry in the queue becomes stale. @returns false if a worker has begun it */
  claimExactly(slot: number): boolean {
    const state = this.state(slot);
    return phaseOf(state) === Phase.queued && this.begin(slot, state);
  }

  protected claimFrom(queues: readonly number[], threads: number): number {
    for (const queue of queues) {
      for (let next = 0; next < threads; next++) {
        const ring = this.#queue((this.thread + next) % this.memory.shape.threads, queue);
        while (ring.take()) {
          const { slot, state } = ring;
          if (this.begin(slot, state)) return slot;
        }
      }
    }
    return -1;
  }

  /** Marks the job as running on this thread. @returns false if another thread was first, or the entry is stale */
  protected begin(slot: number, queued: number): boolean {
    return this.change(this.memory.slotAt(slot), queued, changed(queued, this.thread, Phase.running));
  }

  /**
   * Worker: ends a job whose result is in the slot, or has been sent.
   * @returns `dead` if this thread counts as dead; `tell page` if the page needs a message
   */
  complete(slot: number, phase: typeof Phase.done | typeof Phase.failed): 'dead' | 'tell page' | 'told' {
    const at = this.memory.slotAt(slot);
    const running = this.load(at);
    if (phaseOf(running) !== Phase.running || runnerOf(running) !== this.thread) return 'dead';
    if (!this.change(at, running, changed(running, this.thread, phase))) return 'dead';
    return this.#setDone(slot) ? 'tell page' : 'told';
  }

  state(slot: number): number {
    return this.load(this.memory.slotAt(slot));
  }

  hasEntries(queues: readonly number[]): boolean {
    return queues.some((queue) => this.hasEntry(queue));
  }

  protected hasEntry(queue: number): boolean {
    for (let thread = 0; thread < this.memory.shape.threads; thread++) {
      if (!this.#queue(thread, queue).isEmpty) return true;
    }
    return false;
  }

  /** Worker: records that a call of the task in this slot begins, as a sign of life and as the thread's breadcrumb. */
  beat(slot: number): void {
    const at = this.memory.threadAt(this.thread);
    this.store(at + Thread.latest, slot);
    this.atomics.add(this.memory.words, at + Thread.beat, 1);
  }

  /** Page: returns the number of calls that the worker has begun, modulo 2³². */
  beatOf(thread: number): number {
    return this.load(this.memory.threadAt(thread) + Thread.beat);
  }

  /**
   * Page: returns the slot, of any owner, whose task the worker has called last. If that job has ended, returns another
   * slot that the worker runs; −1 if there is none.
   */
  latestOf(thread: number): number {
    const latest = this.load(this.memory.threadAt(thread) + Thread.latest);
    if (this.#isRunBy(thread, latest)) return latest;
    for (let slot = 0; slot < this.memory.slots; slot++) if (this.#isRunBy(thread, slot)) return slot;
    return -1;
  }

  #isRunBy(thread: number, slot: number): boolean {
    const state = this.state(slot);
    return phaseOf(state) === Phase.running && runnerOf(state) === thread;
  }

  /** True if any job of any thread is queued or running. */
  get isBusy(): boolean {
    for (let slot = 0; slot < this.memory.slots; slot++) {
      const phase = phaseOf(this.state(slot));
      if (phase === Phase.queued || phase === Phase.running) return true;
    }
    return false;
  }

  /** Returns whether the thread runs a job, of any owner. */
  runs(thread: number): boolean {
    return this.latestOf(thread) >= 0;
  }

  /**
   * Page: cleans up after a dead worker. Its running jobs are lost, and their owners are notified. All queued jobs are
   * entered again, because the dead worker may have taken an entry without beginning its job. A duplicate entry claims
   * nothing. A ticket that the worker had claimed is entered again, because its order was not carried out.
   *
   * @returns whether the page must collect its jobs now, because no message announces their end
   */
  reap(dead: number): boolean {
    let isMine = false;
    const { slots, shape } = this.memory;
    for (let slot = 0; slot < slots + shape.queues * shape.tickets; slot++) {
      const at = this.memory.slotAt(slot);
      const state = this.load(at);
      if (this.memory.isTicket(slot) && phaseOf(state) === Phase.running && runnerOf(state) === dead) {
        this.store(at, stateOf((state >> GENERATION) + 1, 0, Phase.queued));
        this.#toEnter.push(slot);
      } else if (phaseOf(state) === Phase.queued) {
        this.#toEnter.push(slot);
      } else if (phaseOf(state) === Phase.running && runnerOf(state) === dead) {
        if (this.change(at, state, changed(state, dead, Phase.lost))) isMine = this.#setDone(slot) || isMine;
      } else if (runnerOf(state) === dead && phaseOf(state) > Phase.running) {
        // The worker may have ended the job and died before it set the bit.
        isMine = this.#setDone(slot) || isMine;
      }
    }
    this.store(this.memory.threadAt(dead) + Thread.asleep, 0);
    this.enterAgain();
    for (let queue = 0; queue < this.memory.shape.queues; queue++) this.wakeOne(queue);
    return isMine;
  }

  /**
   * Page: enters the jobs again that were queued when a worker died, as long as the queues have free entries. Call it
   * until all jobs are entered.
   */
  enterAgain(): void {
    if (this.#toEnter.length === 0) return;
    this.#toEnter = this.#toEnter.filter((slot) => {
      const state = this.state(slot);
      if (phaseOf(state) !== Phase.queued) return false;
      const queue = this.load(this.memory.slotAt(slot) + Slot.queue);
      if (!this.#queue(this.thread, queue).push(slot, state)) return true;
      this.wakeOne(queue);
      return false;
    });
  }

  /** Returns whether the worker set of this queue may have more workers. */
  mayGrow(queue: number): boolean {
    return (this.load(Header.growing) & (1 << queue)) !== 0;
  }

  /** Page: stores the queues, one bit each, whose worker sets may have more workers. */
  setGrowing(queues: number): void {
    this.store(Header.growing, queues);
  }

  /** Sets the slot's bit for its owner. @returns whether the page needs a message */
  #setDone(slot: number): boolean {
    const owner = this.memory.ownerOf(slot);
    const thread = this.memory.threadAt(owner);
    const place = slot - this.memory.firstSlotOf(owner);
    this.atomics.or(this.memory.words, thread + Thread.done + (place >> 5), 1 << (place & 31));
    if (owner === 0) return this.atomics.exchange(this.memory.words, thread + Thread.announced, 1) === 0;
    this.wake(owner);
    return false;
  }

  #queue(thread: number, queue: number): ClaimRing {
    return this.#rings[thread]?.[queue] as ClaimRing;
  }
}

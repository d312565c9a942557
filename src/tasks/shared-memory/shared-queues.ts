/**
 * Jobs in shared memory, as one thread sees them: how they are published, claimed, completed and collected. Nothing is locked. How
 * workers sleep and are woken meanwhile: `sleeping-threads.ts`.
 *
 *   owner      publish ───────────────────────────────────────────────► collect ─► free
 *                 state: queued              running (who)      done │ failed │ lost
 *   worker                  claim ─► the task ─► complete
 *
 * A state carries a generation and its runner, and changes only by compare-exchange: an entry of a queue that is older
 * than the slot's present job, or that is there twice, claims nothing, and a worker that counts as dead completes nothing.
 */
import { ClaimRing } from './claim-ring.js';
import { SleepingThreads } from './sleeping-threads.js';
import { Header, Slot, type TaskAtomics, type TaskMemory, Thread } from './task-memory.js';

export const Phase = { free: 0, queued: 1, running: 2, done: 3, failed: 4, lost: 5 } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

/** Of a state: bits 0 to 2 the phase, 3 to 9 the runner, from 10 on the generation. */
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
  /** Slots that were queued when a worker died, and have not been entered again. */
  #again: number[] = [];

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

  /** Owner: a slot of this thread that is free, to be filled; −1: none. */
  allocate(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#isKnown) return -1;
    // A thread in the place of one that died finds what that one has left; nobody waits for its jobs any more.
    this.#isKnown = true;
    const first = this.memory.firstSlotOf(this.thread);
    for (let slot = first + this.memory.shape.slots - 1; slot >= first; slot--) {
      const phase = phaseOf(this.state(slot));
      if (phase === Phase.free || phase > Phase.running) this.#free.push(slot);
    }
    return this.#free.pop() ?? -1;
  }

  /** Owner: nothing of it is needed any more. */
  free(slot: number): void {
    const at = this.memory.slotAt(slot);
    this.store(at, changed(this.load(at), 0, Phase.free));
    this.#free.push(slot);
  }

  /** Owner: the filled slot, or the ticket, may be claimed. @returns false: the queue is full, and the slot as before */
  publish(slot: number, queue: number): boolean {
    const at = this.memory.slotAt(slot);
    const queued = stateOf((this.load(at) >> GENERATION) + 1, 0, Phase.queued);
    this.store(at + Slot.queue, queue);
    this.store(at, queued);
    if (this.#queue(this.thread, queue).push(slot, queued)) return true;
    this.store(at, changed(queued, 0, Phase.free));
    return false;
  }

  /** Owner: takes back what nobody has begun; the slot is free then. */
  retract(slot: number): boolean {
    if (!this.withdraw(slot)) return false;
    this.#free.push(slot);
    return true;
  }

  /** Owner: the same of a ticket, which is no slot to be filled. */
  withdraw(slot: number): boolean {
    const at = this.memory.slotAt(slot);
    const state = this.load(at);
    return phaseOf(state) === Phase.queued && this.change(at, state, changed(state, 0, Phase.free));
  }

  /** Page: the ticket has been claimed, and stands for nothing any more. */
  clearTicket(ticket: number): void {
    const at = this.memory.slotAt(ticket);
    this.store(at, changed(this.load(at), 0, Phase.free));
  }

  /**
   * Owner: what has ended since the last time. Slots that it knows nothing of are left by a thread that died in its place.
   * A bit may be set once too often where a worker died: it says nothing where the slot is not at its end.
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

  /** Worker: the next job of these queues, of all threads, in this order; −1: none. Other sleepers are told of more. */
  claim(queues: readonly number[]): number {
    const slot = this.claimFrom(queues, this.memory.shape.threads);
    if (slot >= 0) this.passOn(queues);
    return slot;
  }

  /** Worker: it is about to be busy, and may have been rung for more than that: the next sleepers are told of it. */
  passOn(queues: readonly number[]): void {
    for (const queue of queues) if (this.hasEntry(queue)) this.wakeOne(queue);
  }

  /** Worker: the same, of its own jobs only. Whoever waits for them in a task's middle may run no others. */
  claimOwn(queues: readonly number[]): number {
    return this.claimFrom(queues, 1);
  }

  /** Owner: the same, of this very job, unless somebody has begun it. Its entry in the queue claims nothing from then on. */
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

  /** Only the first to say that it runs this very job does. */
  protected begin(slot: number, queued: number): boolean {
    return this.change(this.memory.slotAt(slot), queued, changed(queued, this.thread, Phase.running));
  }

  /** Worker: the result is in the slot. @returns false where this thread counts as dead; must the page be told? */
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

  /** Whether any job is queued or runs, whoever it belongs to. */
  get isBusy(): boolean {
    for (let slot = 0; slot < this.memory.slots; slot++) {
      const phase = phaseOf(this.state(slot));
      if (phase === Phase.queued || phase === Phase.running) return true;
    }
    return false;
  }

  /** Whether this thread runs any job, whoever it belongs to. */
  runs(thread: number): boolean {
    for (let slot = 0; slot < this.memory.slots; slot++) {
      const state = this.state(slot);
      if (phaseOf(state) === Phase.running && runnerOf(state) === thread) return true;
    }
    return false;
  }

  /**
   * Page: a worker is dead. What it was running is lost, which its owners are told; every queued job is entered again,
   * because the dead worker may have taken an entry and not begun it. An entry too many claims nothing. A ticket that it had
   * claimed is entered anew: it has not got the order.
   *
   * @returns whether this thread owns some of what was lost
   */
  reap(dead: number): boolean {
    let isMine = false;
    const { slots, shape } = this.memory;
    for (let slot = 0; slot < slots + shape.queues * shape.tickets; slot++) {
      const at = this.memory.slotAt(slot);
      const state = this.load(at);
      if (this.memory.isTicket(slot) && phaseOf(state) === Phase.running && runnerOf(state) === dead) {
        this.store(at, stateOf((state >> GENERATION) + 1, 0, Phase.queued));
        this.#again.push(slot);
      } else if (phaseOf(state) === Phase.queued) {
        this.#again.push(slot);
      } else if (phaseOf(state) === Phase.running && runnerOf(state) === dead) {
        if (this.change(at, state, changed(state, dead, Phase.lost))) isMine = this.#setDone(slot) || isMine;
      } else if (runnerOf(state) === dead && phaseOf(state) > Phase.running) {
        // It may have ended the job and died before it said so.
        isMine = this.#setDone(slot) || isMine;
      }
    }
    this.store(this.memory.threadAt(dead) + Thread.asleep, 0);
    this.enterAgain();
    for (let queue = 0; queue < this.memory.shape.queues; queue++) this.wakeOne(queue);
    return isMine;
  }

  /** Page: enters what was queued when a worker died, as far as its queues have room; to be called again until they had. */
  enterAgain(): void {
    if (this.#again.length === 0) return;
    this.#again = this.#again.filter((slot) => {
      const state = this.state(slot);
      if (phaseOf(state) !== Phase.queued) return false;
      const queue = this.load(this.memory.slotAt(slot) + Slot.queue);
      if (!this.#queue(this.thread, queue).push(slot, state)) return true;
      this.wakeOne(queue);
      return false;
    });
  }

  /** Whether there may be more workers of the set that this queue belongs to. */
  mayGrow(queue: number): boolean {
    return (this.load(Header.growing) & (1 << queue)) !== 0;
  }

  /** Page: these queues are of sets that may have more workers. */
  setGrowing(queues: number): void {
    this.store(Header.growing, queues);
  }

  /** @returns whether the page has to be told by a message */
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

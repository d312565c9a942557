/**
 * Threads that sleep until another thread rings their bell, which is a word of shared memory. Only `wait` blocks.
 *
 * No wake-up is lost, because both threads write first and check afterwards. The proof is in
 * docs/architecture/tasks-scheduling.md.
 *
 *   publisher   push the entry ─► check for a sleeping thread ─► ring its bell
 *   worker      read the bell ─► mark itself asleep ─► check for entries ─► wait for the bell to change
 */
import { Header, type TaskAtomics, type TaskMemory, Thread } from './task-memory.js';

/**
 * Bits of a thread's word `asleep`. `SLEEPS`: the thread sleeps until its queues have jobs; the queues are the bits
 * from 2. `NAPS`: the thread sleeps within a task until one of its own jobs has ended.
 */
const SLEEPS = 1;
const NAPS = 2;
/**
 * Bit of a thread that sleeps in its event loop, where an awaiting task may continue at any time. Other threads are
 * woken first.
 */
const AWAITS = 1 << 30;
/** Returns the word `asleep` of a sleeping thread that serves these queues. */
export const asleepFor = (queues: readonly number[], isAwaiting = false): number =>
  queues.reduce((word, queue) => word | (4 << queue), isAwaiting ? SLEEPS | AWAITS : SLEEPS);
const servesAsleep = (asleep: number, queue: number): boolean =>
  (asleep & SLEEPS) !== 0 && (asleep & (4 << queue)) !== 0;

/** Wakes a sleeping thread by its bell. @returns false if the thread has woken up meanwhile */
function ring(memory: TaskMemory, atomics: TaskAtomics, thread: number, asleep: number): boolean {
  const { words } = memory;
  const at = memory.threadAt(thread);
  if (atomics.compareExchange(words, at + Thread.asleep, asleep, 0) !== asleep) return false;
  atomics.add(words, at + Thread.bell, 1);
  atomics.notify(words, at + Thread.bell);
  return true;
}

/**
 * Wakes all sleeping threads that take jobs from this queue. The caller may be a thread outside the pool that shares
 * the pool's memory.
 */
export function wakeAll(memory: TaskMemory, queue: number, atomics: TaskAtomics = Atomics): void {
  for (let thread = 1; thread < memory.shape.threads; thread++) {
    const asleep = atomics.load(memory.words, memory.threadAt(thread) + Thread.asleep);
    if (servesAsleep(asleep, queue)) ring(memory, atomics, thread, asleep);
  }
}

export abstract class SleepingThreads {
  readonly memory: TaskMemory;
  readonly thread: number;
  protected readonly atomics: TaskAtomics;

  constructor(memory: TaskMemory, thread: number, atomics: TaskAtomics) {
    this.memory = memory;
    this.thread = thread;
    this.atomics = atomics;
  }

  /** Returns whether these queues have jobs. */
  abstract hasEntries(queues: readonly number[]): boolean;

  /**
   * Worker: marks itself asleep, and then checks once more whether there is something to do.
   * @param isAwaiting whether tasks on this thread await something, and may continue while it sleeps
   * @returns the bell's value, for `wait`; `null` if there is something to do
   */
  prepareSleep(queues: readonly number[], isAwaiting = false): number | null {
    const thread = this.memory.threadAt(this.thread);
    // Read the bell first. A thread that finds this thread asleep rings the bell later, so the wait ends at once.
    const bell = this.load(thread + Thread.bell);
    this.store(thread + Thread.asleep, asleepFor(queues, isAwaiting));
    if (!this.hasSomething(queues)) return bell;
    this.wakeUp();
    return null;
  }

  /**
   * Worker: marks itself asleep within a task that waits for the worker's own jobs. New jobs must not wake the worker,
   * because it would not run them, and a worker that could run them would stay asleep.
   * @returns as `prepareSleep`
   */
  prepareNap(): number | null {
    const thread = this.memory.threadAt(this.thread);
    const bell = this.load(thread + Thread.bell);
    this.store(thread + Thread.asleep, NAPS);
    if (!this.isShutDown && !this.hasEnded()) return bell;
    this.wakeUp();
    return null;
  }

  wakeUp(): void {
    this.store(this.memory.threadAt(this.thread) + Thread.asleep, 0);
  }

  /** Worker: blocks until the bell differs from `bell`, or until the time is over. */
  wait(bell: number, milliseconds: number): void {
    this.atomics.wait(this.memory.words, this.memory.threadAt(this.thread) + Thread.bell, bell, milliseconds);
  }

  protected hasSomething(queues: readonly number[]): boolean {
    const mail = this.memory.threadAt(this.thread) + Thread.mail;
    return this.isShutDown || this.load(mail) !== 0 || this.hasEnded() || this.hasEntries(queues);
  }

  protected hasEnded(): boolean {
    const done = this.memory.threadAt(this.thread) + Thread.done;
    for (let word = 0; word < this.memory.doneWords; word++) {
      if (this.load(done + word) !== 0) return true;
    }
    return false;
  }

  /**
   * Wakes one thread that takes jobs from this queue. Call it after publishing a job.
   * @returns false if no such thread was asleep
   */
  wakeOne(queue: number): boolean {
    return this.#wakeAmong(queue, 0) || this.#wakeAmong(queue, AWAITS);
  }

  /**
   * Wakes one sleeping thread.
   * @param awaits 0 for threads without awaiting tasks, `AWAITS` for threads with awaiting tasks
   */
  #wakeAmong(queue: number, awaits: number): boolean {
    for (let thread = 1; thread < this.memory.shape.threads; thread++) {
      const asleep = this.load(this.memory.threadAt(thread) + Thread.asleep);
      if ((asleep & AWAITS) !== awaits || !servesAsleep(asleep, queue)) continue;
      if (ring(this.memory, this.atomics, thread, asleep)) return true;
    }
    return false;
  }

  /** Wakes a thread from sleep or nap. A thread that is awake needs no wake-up, because it checks before it sleeps. */
  wake(thread: number): void {
    const asleep = this.load(this.memory.threadAt(thread) + Thread.asleep);
    if (asleep !== 0) ring(this.memory, this.atomics, thread, asleep);
  }

  /** Makes a worker return to its event loop, because a message to it is in flight. */
  announceMail(thread: number): void {
    this.store(this.memory.threadAt(thread) + Thread.mail, 1);
    this.wake(thread);
  }

  /** Worker: clears the flag of messages. @returns whether it was set */
  takeMail(): boolean {
    const at = this.memory.threadAt(this.thread) + Thread.mail;
    return this.load(at) !== 0 && this.atomics.exchange(this.memory.words, at, 0) !== 0;
  }

  get isShutDown(): boolean {
    return this.load(Header.shutdown) !== 0;
  }

  shutDown(): void {
    this.store(Header.shutdown, 1);
    for (let thread = 1; thread < this.memory.shape.threads; thread++) this.wake(thread);
  }

  protected load(at: number): number {
    return this.atomics.load(this.memory.words, at);
  }

  protected store(at: number, value: number): void {
    this.atomics.store(this.memory.words, at, value);
  }

  protected change(at: number, from: number, to: number): boolean {
    return this.atomics.compareExchange(this.memory.words, at, from, to) === from;
  }
}

import { waitAsyncHere } from '../../core/streams/word-listening.js';
import { timedOut } from '../../sync/deadline.js';
import { COUNTER_STAYS } from '../futures/awaitable.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

/** Poll interval in browsers without `Atomics.waitAsync`, in milliseconds. */
const LOOK = 4;
/** Longest `Atomics.waitAsync`, in milliseconds. */
const LONG = 1000;

/** Functions that wake the waits for counters in memory that is not shared, by memory. */
const waiting = new WeakMap<ArrayBufferLike, Set<() => void>>();

/**
 * A count of remaining work. Tasks count it down, and waits end when it is low enough. A fiber (a task that is a
 * generator) waits with `yield counter.whenReached()`, without occupying its worker. The page awaits the same promise.
 *
 *   3 ─ done ─► 2 ─ done ─► 1 ─ done ─► 0        whenReached(0) and wait(0) end, also waits that begin later
 */
export class TaskCounter {
  /** Words of shared memory that a counter takes. The program writes the initial count into the memory. */
  static readonly words = 1;
  /** @internal */
  readonly staysHere = COUNTER_STAYS;
  /** The counter's address, for arguments of tasks: `new task.tools.TaskCounter(place)`. */
  readonly place: SharedAddress;
  readonly #word: SharedWord;

  /** @throws StateError `memory-not-shared` in a task that has a copy of the words */
  constructor({ words, index }: SharedAddress, atomics: BlockingAtomics = Atomics) {
    this.place = { words, index };
    this.#word = new SharedWord(this.place, atomics);
  }

  get value(): number {
    return this.#word.load();
  }

  /** Adds remaining work. */
  add(count = 1): void {
    this.#word.add(count);
  }

  /** Subtracts finished work, and wakes the waiters. */
  done(count = 1): void {
    this.#word.add(-count);
    this.#word.notify();
    for (const wake of waiting.get(this.place.words.buffer) ?? []) wake();
  }

  /**
   * Resolves when at most `value` is left. Occupies no thread.
   * @param deadline time of `performance.now()`, in milliseconds
   * @returns a promise that rejects with ThreadError `wait-timed-out`, or with StateError `tasks-disposed` if the task
   *   system that created the counter has ended
   */
  async whenReached(value = 0, deadline = Number.POSITIVE_INFINITY): Promise<void> {
    const waits = CounterWaits.of(this.place.words.buffer);
    const began = performance.now();
    for (let now = this.#word.load(); now > value; now = this.#word.load()) {
      if (waits?.reason) throw waits.reason;
      const left = deadline - performance.now();
      if (left <= 0) throw timedOut('A task or the page', 'a counter', performance.now() - began);
      await this.#changed(now, left, waits);
    }
  }

  /**
   * Sleeps until at most `value` is left. Only pool workers may call it.
   * @param deadline time of `performance.now()`, in milliseconds
   * @throws StateError `wait-not-possible`; ThreadError `wait-timed-out`
   */
  wait(value = 0, deadline = Number.POSITIVE_INFINITY): void {
    for (let now = this.#word.load(); now > value; now = this.#word.load())
      this.#word.sleepWhile(now, deadline, 'a counter');
  }

  /** Resolves when the counter may have changed. @param left longest wait, in milliseconds */
  async #changed(now: number, left: number, waits: CounterWaits | undefined): Promise<void> {
    const { words, index } = this.place;
    const isShared = typeof SharedArrayBuffer !== 'undefined' && words.buffer instanceof SharedArrayBuffer;
    const waitAsync = waitAsyncHere();
    let wake!: () => void;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    waits?.add(wake);
    let all: Set<() => void> | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (isShared && waitAsync) {
      const waited = waitAsync(words, index, now, Math.min(LONG, left));
      if (waited.async) waited.value.then(wake);
      else wake();
    } else if (isShared) timer = setTimeout(wake, Math.min(LOOK, left));
    else {
      all = waiting.get(words.buffer) ?? new Set();
      waiting.set(words.buffer, all);
      all.add(wake);
      // A timer's longest delay is 2³¹ − 1 ms. Afterwards the wait checks the counter and continues.
      if (left !== Number.POSITIVE_INFINITY) timer = setTimeout(wake, Math.min(0x7fffffff, left));
    }
    await woken;
    clearTimeout(timer);
    all?.delete(wake);
    waits?.delete(wake);
  }
}

/** Pending waits by the memory of the counters. */
const owners = new WeakMap<ArrayBufferLike, CounterWaits>();

/**
 * The pending waits of this thread for counters of one task system. They end when the system ends.
 *
 *   tasks.counter() ─ adopt(memory) ─► of(memory) ◄─ whenReached()     end(reason): all waiters wake and throw it
 */
export class CounterWaits {
  readonly #wakes = new Set<() => void>();
  #reason: Error | null = null;

  /** Returns the waits of the system that allocated this memory; undefined if this thread has no such system. */
  static of(memory: ArrayBufferLike): CounterWaits | undefined {
    return owners.get(memory);
  }

  /** The error that ended the system, or `null` while the system runs. */
  get reason(): Error | null {
    return this.#reason;
  }

  adopt(memory: ArrayBufferLike): void {
    owners.set(memory, this);
  }

  add(wake: () => void): void {
    this.#wakes.add(wake);
  }

  delete(wake: () => void): void {
    this.#wakes.delete(wake);
  }

  end(reason: Error): void {
    this.#reason = reason;
    for (const wake of this.#wakes) wake();
  }
}

import { waitAsyncHere } from '../../core/streams/word-listening.js';
import { timedOut } from '../../sync/deadline.js';
import { COUNTER_STAYS } from '../futures/stays-here.js';
import { CounterWaits } from './counter-waits.js';
import { type BlockingAtomics, type SharedAddress, SharedWord } from './shared-word.js';

/** Where nothing wakes an event loop through shared memory, it looks so often; elsewhere it need not. Milliseconds. */
const LOOK = 4;
const LONG = 1000;

/** Of memory that is this thread's alone: who waits for a change. */
const waiting = new WeakMap<ArrayBufferLike, Set<() => void>>();

/**
 * How much is left to do: tasks count it down, and whoever waits goes on when it has come down far enough. A fiber waits for it in its
 * middle (`yield counter.whenReached()`), without holding its worker; so does the page.
 *
 *   3 ─ done ─► 2 ─ done ─► 1 ─ done ─► 0        whenReached(0), wait(0) go on; also those who look later
 */
export class TaskCounter {
  /** Words of shared memory that it takes. The one who makes the memory writes the count. */
  static readonly words = 1;
  /** @internal */
  readonly staysHere = COUNTER_STAYS;
  /** For the arguments of tasks: `new task.tools.TaskCounter(place)`. */
  readonly place: SharedAddress;
  readonly #word: SharedWord;

  /** @throws StateError `memory-not-shared` in a worker that has a copy */
  constructor({ words, index }: SharedAddress, atomics: BlockingAtomics = Atomics) {
    this.place = { words, index };
    this.#word = new SharedWord(this.place, atomics);
  }

  get value(): number {
    return this.#word.load();
  }

  /** So much more is to be done. */
  add(count = 1): void {
    this.#word.add(count);
  }

  /** So much is done. */
  done(count = 1): void {
    this.#word.add(-count);
    this.#word.notify();
    for (const wake of waiting.get(this.place.words.buffer) ?? []) wake();
  }

  /**
   * Resolves when no more than `value` is left. Holds no thread.
   * @param deadline on the clock of `performance.now()`
   * @returns rejects with ThreadError `wait-timed-out`; StateError `tasks-disposed`, where `tasks.counter()` of a system that has ended made it
   */
  async whenReached(value = 0, deadline = Number.POSITIVE_INFINITY): Promise<void> {
    const waits = CounterWaits.of(this.place.words.buffer);
    const began = performance.now();
    for (let now = this.#word.load(); now > value; now = this.#word.load()) {
      if (waits?.reason) throw waits.reason;
      const left = deadline - performance.now();
      if (left <= 0) throw timedOut('Somebody', 'a counter', performance.now() - began);
      await this.#changed(now, left, waits);
    }
  }

  /**
   * Sleeps until no more than `value` is left; for pool workers.
   * @param deadline on the clock of `performance.now()`
   * @throws StateError `wait-not-possible`; ThreadError `wait-timed-out`
   */
  wait(value = 0, deadline = Number.POSITIVE_INFINITY): void {
    for (let now = this.#word.load(); now > value; now = this.#word.load())
      this.#word.sleepWhile(now, deadline, 'a counter');
  }

  /** @param left milliseconds: it resolves then, at the latest; earlier also without a change */
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
      // Timers know no longer times; it looks again then.
      if (left !== Number.POSITIVE_INFINITY) timer = setTimeout(wake, Math.min(0x7fffffff, left));
    }
    await woken;
    clearTimeout(timer);
    all?.delete(wake);
    waits?.delete(wake);
  }
}

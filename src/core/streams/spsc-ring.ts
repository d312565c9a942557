import { listenToWord } from './word-listening.js';

/** Words before the first entry. */
const RING_HEADER_WORDS = 4;
const PUSHED = 0;
const TAKEN = 1;
const SIGNAL = 2;

/** The atomic operations of a ring. Tests replace them by an interleaving scheduler. */
interface AtomicOperations {
  load(words: Int32Array<SharedArrayBuffer>, index: number): number;
  store(words: Int32Array<SharedArrayBuffer>, index: number, value: number): number;
  exchange(words: Int32Array<SharedArrayBuffer>, index: number, value: number): number;
  notify(words: Int32Array<SharedArrayBuffer>, index: number): number;
}

/**
 * A ring between one producer and one consumer in shared memory. Each entry is two words. The counts of pushed and
 * taken entries only grow (and wrap at 2³²). Each count has only one writer, so no lock is needed.
 *
 *   memory  | pushed | taken | signal | – | entry 0 | entry 1 | … | entry capacity−1 |
 *             producer consumer both
 *
 * The word `signal` serves one of two protocols per ring. Both lose no wake-up, because each thread writes its own
 * word first and reads the other thread's word afterwards.
 *
 *   coalesced wake-up     producer `push…; if (announce()) ring()` or posts a message · consumer `hear(); take…`
 *                         at most one wake-up is in flight; a push after `hear` sends another
 *   wake-up on request    consumer `request(); take…` · producer `push…; if (answer())` posts a message
 *                         no message without a request
 */
export class SpscRing {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #mask: number;
  readonly #atomics: AtomicOperations;
  readonly #listenToWord: typeof listenToWord;
  /** The count of this thread: `pushed` at the producer, `taken` at the consumer. */
  #count = 0;
  /** The count of the other thread, as this thread last read it. */
  #otherCount = 0;

  /** @param words memory of the header and `capacity` entries of two words; the capacity is a power of two */
  constructor(
    words: Int32Array<SharedArrayBuffer>,
    atomics: AtomicOperations = Atomics,
    listen: typeof listenToWord = listenToWord,
  ) {
    this.#listenToWord = listen;
    this.#words = words;
    this.#mask = ((words.length - RING_HEADER_WORDS) >> 1) - 1;
    this.#atomics = atomics;
  }

  /** Returns the words of memory for a ring with at least `entries` entries. */
  static wordsFor(entries: number): number {
    return RING_HEADER_WORDS + 2 * 2 ** Math.ceil(Math.log2(Math.max(2, entries)));
  }

  /** Producer: appends an entry. @returns false when the ring is full */
  push(first: number, second: number): boolean {
    if (((this.#count - this.#otherCount) | 0) > this.#mask) {
      this.#otherCount = this.#atomics.load(this.#words, TAKEN);
      if (((this.#count - this.#otherCount) | 0) > this.#mask) return false;
    }
    const at = RING_HEADER_WORDS + (this.#count & this.#mask) * 2;
    // Plain stores: the atomic store of the count publishes them.
    this.#words[at] = first;
    this.#words[at + 1] = second;
    this.#count = (this.#count + 1) | 0;
    this.#atomics.store(this.#words, PUSHED, this.#count);
    return true;
  }

  /** Consumer: true when the ring has an entry; `first` and `second` read it. */
  get hasEntry(): boolean {
    if (this.#count !== this.#otherCount) return true;
    this.#otherCount = this.#atomics.load(this.#words, PUSHED);
    return this.#count !== this.#otherCount;
  }

  get first(): number {
    return this.#words[RING_HEADER_WORDS + (this.#count & this.#mask) * 2];
  }

  get second(): number {
    return this.#words[RING_HEADER_WORDS + (this.#count & this.#mask) * 2 + 1];
  }

  /** Consumer: removes the entry that `hasEntry` found. */
  take(): void {
    this.#count = (this.#count + 1) | 0;
    this.#atomics.store(this.#words, TAKEN, this.#count);
  }

  /** Producer, after pushing: announces entries. @returns true if the producer must call `ring` or post a message */
  announce(): boolean {
    return this.#atomics.exchange(this.#words, SIGNAL, 1) === 0;
  }

  /** Producer: wakes a consumer that listens. */
  ring(): void {
    this.#atomics.notify(this.#words, SIGNAL);
  }

  /** Consumer: calls `onRing` once, asynchronously, when entries have been announced since `hear`. */
  listen(onRing: () => void): void {
    this.#listenToWord(this.#words, SIGNAL, 0, onRing);
  }

  /** Consumer: acknowledges a wake-up by `ring` or a message. Call it before checking for entries. */
  hear(): void {
    this.#atomics.store(this.#words, SIGNAL, 0);
  }

  /** Consumer: requests a message at the next push. Check for entries once more after this call. */
  request(): void {
    this.#atomics.store(this.#words, SIGNAL, 1);
  }

  /** Producer, after pushing: returns true when the consumer has requested a message. */
  answer(): boolean {
    return this.#atomics.exchange(this.#words, SIGNAL, 0) === 1;
  }
}

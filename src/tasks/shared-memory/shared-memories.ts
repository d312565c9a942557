import type { MemoryMessage } from '../task-messages.js';

const PER_THREAD = 2 ** 20;
const PER_INCARNATION = 2 ** 14;

/**
 * The memory of shared arrays, by numbers that all threads understand. A number is used by the thread alone that has given
 * it: it names memory in jobs of its own, whose arguments it keeps until they have ended. So when the memory is garbage
 * there, no job that names it is left anywhere, and the others may forget the number.
 *
 *   thread 1   numberOf(memory) ─► 1·2²⁰ + 5 ─── message: memory ───► others: found
 *              garbage, no job of its own has it ── message: forget ─► others: gone
 */
export class SharedMemories {
  readonly #thread: number;
  readonly #tell: (message: MemoryMessage) => void;
  readonly #numbers = new WeakMap<SharedArrayBuffer, number>();
  readonly #own = new Map<number, WeakRef<SharedArrayBuffer>>();
  readonly #others = new Map<number, SharedArrayBuffer>();
  readonly #garbage: FinalizationRegistry<number>;
  #next: number;

  /**
   * @param tell reaches all other threads
   * @param incarnation how many threads have had this number before: jobs of one that has died may still be queued, and
   *   name its memory
   */
  constructor(thread: number, tell: (message: MemoryMessage) => void, incarnation = 0) {
    this.#thread = thread;
    this.#next = (incarnation * PER_INCARNATION) % PER_THREAD;
    this.#tell = tell;
    this.#garbage = new FinalizationRegistry((number) => {
      this.#own.delete(number);
      tell({ kind: 'memory', number, memory: null });
    });
  }

  numberOf(memory: SharedArrayBuffer): number {
    const known = this.#numbers.get(memory);
    if (known !== undefined) return known;
    const number = this.#thread * PER_THREAD + (this.#next++ % PER_THREAD);
    this.#numbers.set(memory, number);
    this.#own.set(number, new WeakRef(memory));
    this.#garbage.register(memory, number);
    this.#tell({ kind: 'memory', number, memory });
    return number;
  }

  find(number: number): SharedArrayBuffer | undefined {
    return this.#others.get(number) ?? this.#own.get(number)?.deref();
  }

  hear({ number, memory }: MemoryMessage): void {
    if (memory) this.#others.set(number, memory);
    else this.#others.delete(number);
  }

  /** The memories that this thread has given numbers, for others that could not read them. */
  *own(): Iterable<MemoryMessage> {
    for (const [number, reference] of this.#own) {
      const memory = reference.deref();
      if (memory) yield { kind: 'memory', number, memory };
    }
  }

  /** All that others should know by now, for a thread that comes later. */
  *known(): Iterable<MemoryMessage> {
    yield* this.own();
    for (const [number, memory] of this.#others) yield { kind: 'memory', number, memory };
  }
}

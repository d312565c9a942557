import type { MemoryMessage } from '../task-messages.js';

/** Maximum number of memories that each thread can number. */
const PER_THREAD = 2 ** 20;
/** Offset of the first number of a replacement thread from that of the thread that it replaces. */
const PER_INCARNATION = 2 ** 14;

/**
 * Numbers the memory of shared arrays, so that jobs can name it. Only the thread that has assigned a number
 * uses it, in its own jobs. The thread keeps the arguments of its jobs until the jobs have ended. So once the
 * memory is garbage on that thread, no job names it any more, and other threads may forget the number.
 *
 *   thread 1   numberOf(memory) ─► 1·2²⁰ + 5 ─── message: memory ───► others: find(number)
 *              garbage, no own job has it ─────── message: forget ──► others: forget the number
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
   * @param tell sends a message to all other threads
   * @param incarnation number of earlier threads with the same thread number. A replacement thread assigns
   *   other numbers than they did, because their jobs may still be queued and name their memory
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

  /** Yields the memory to which this thread has assigned numbers, for threads that could not read a message. */
  *own(): Iterable<MemoryMessage> {
    for (const [number, reference] of this.#own) {
      const memory = reference.deref();
      if (memory) yield { kind: 'memory', number, memory };
    }
  }

  /** Yields all memory with numbers, for a thread that joins later. */
  *known(): Iterable<MemoryMessage> {
    yield* this.own();
    for (const [number, memory] of this.#others) yield { kind: 'memory', number, memory };
  }
}

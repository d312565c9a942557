/**
 * Where a thread is told that fences were signalled (SYSTEMS F5, F11). A notification names fences, or queues whose
 * logs say which; one that names nothing means *look at everything you wait for*. Several that were not taken yet
 * are one.
 *
 *   | bell | queues: bit each | fences: bit each … |
 *
 *   signaller   sets bits ········ bell + 1 · wakes
 *   receiver    reads the bell ··· takes the bits · looks · sleeps only while the bell is what it had read
 */
import type { FenceEnvironment } from './fence-environment.js';
import { type FenceMemory, MAXIMUM_QUEUES } from './fence-memory.js';

export interface Notification {
  readonly fences: readonly number[];
  readonly queues: readonly number[];
}

export class FenceMailbox {
  readonly #memory: FenceMemory;
  /** Index of the bell. */
  readonly bell: number;
  readonly #fenceWords: number;

  constructor(memory: FenceMemory, thread: number) {
    this.#memory = memory;
    this.bell = memory.mailboxOffset(thread) / 4;
    this.#fenceWords = Math.ceil(memory.capacity / 32);
  }

  nameFence(fence: number): void {
    const { ints, atomics } = this.#memory;
    atomics.or(ints, this.bell + 2 + (fence >> 5), 1 << (fence & 31));
  }

  nameQueue(queue: number): void {
    const { ints, atomics } = this.#memory;
    atomics.or(ints, this.bell + 1, 1 << queue);
  }

  /** After naming: wakes the thread, asleep or about to be. */
  ring(): void {
    const { ints, atomics } = this.#memory;
    atomics.add(ints, this.bell, 1);
    atomics.notify(ints, this.bell);
  }

  /** Read it before `take`; sleep only while it stays what it was. */
  get rings(): number {
    const { ints, atomics } = this.#memory;
    return atomics.load(ints, this.bell);
  }

  take(): Notification {
    const { ints, atomics } = this.#memory;
    const fences: number[] = [];
    const queues: number[] = [];
    collect(atomics.exchange(ints, this.bell + 1, 0), 0, MAXIMUM_QUEUES, queues);
    for (let word = 0; word < this.#fenceWords; word++) {
      const bits = atomics.exchange(ints, this.bell + 2 + word, 0);
      if (bits !== 0) collect(bits, word * 32, 32, fences);
    }
    return { fences, queues };
  }
}

/** The receiving end: knows which rings it has heard. */
export class FenceReceiver {
  readonly #memory: FenceMemory;
  readonly #mailbox: FenceMailbox;
  /** The bell when the mailbox was last emptied; read before it was. */
  #rings: number;
  #isListening = false;

  /** @param memory of the mailbox */
  constructor(memory: FenceMemory, mailbox: FenceMailbox) {
    this.#memory = memory;
    this.#mailbox = mailbox;
    this.#rings = mailbox.rings;
    mailbox.take(); // what was meant for the thread that had this number before
  }

  /** What has come since the last time; null: nothing. */
  hear(): Notification | null {
    const { rings } = this.#mailbox;
    if (rings === this.#rings) return null;
    this.#rings = rings;
    return this.#mailbox.take();
  }

  /** Blocks until there is something to hear, or the time is over. */
  sleep(milliseconds: number): void {
    const { ints, atomics } = this.#memory;
    atomics.wait(ints, this.#mailbox.bell, this.#rings, milliseconds);
  }

  /** Calls back once when there is something to hear; harmless when it does already. */
  listen({ listen }: FenceEnvironment, onRing: () => void): void {
    if (this.#isListening || !this.#memory.isShared) return;
    this.#isListening = true;
    listen(this.#memory.ints, this.#mailbox.bell, this.#rings, () => {
      this.#isListening = false;
      onRing();
    });
  }
}

function collect(bits: number, first: number, count: number, into: number[]): void {
  for (let bit = 0; bit < count; bit++) if (bits & (1 << bit)) into.push(first + bit);
}

/**
 * The mailbox in which a thread receives notifications of signalled fences (SYSTEMS F5, F11). A notification names
 * fences, or queues whose logs name the fences. After an empty notification, the receiver checks all its fences. If
 * notifications name queues, it reads all queues' logs instead. Pending notifications merge into one.
 *
 *   | bell: a count | queues: a bit each | fences: a bit each … |
 *
 *   signaller   sets bits ········ bell + 1 · wakes
 *   receiver    reads the bell ··· takes the bits · checks · sleeps only while the bell has the value it read
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

  /** Wakes the thread, whether it sleeps or is about to sleep. Call it after naming fences or queues. */
  ring(): void {
    const { ints, atomics } = this.#memory;
    atomics.add(ints, this.bell, 1);
    atomics.notify(ints, this.bell);
  }

  /** The bell's count. Read it before `take`; sleep only while it has not changed. */
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

/** The receiving end of a mailbox. It remembers up to which ring it has handled notifications. */
export class FenceReceiver {
  readonly #memory: FenceMemory;
  readonly #mailbox: FenceMailbox;
  /** The bell's count, read just before the mailbox was last emptied. */
  #rings: number;
  #isListening = false;

  /** @param memory contains the mailbox */
  constructor(memory: FenceMemory, mailbox: FenceMailbox) {
    this.#memory = memory;
    this.#mailbox = mailbox;
    this.#rings = mailbox.rings;
    mailbox.take(); // drop notifications for the thread that had this number before
  }

  /** Takes the notification that has arrived since the last call. @returns `null` if none has */
  receive(): Notification | null {
    const { rings } = this.#mailbox;
    if (rings === this.#rings) return null;
    this.#rings = rings;
    return this.#mailbox.take();
  }

  /** Blocks until the bell rings, or until `milliseconds` have passed. */
  sleep(milliseconds: number): void {
    const { ints, atomics } = this.#memory;
    atomics.wait(ints, this.#mailbox.bell, this.#rings, milliseconds);
  }

  /** Calls `onRing` once when the bell rings. Does nothing without shared memory, or while an earlier call listens. */
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

import { expect, it } from 'vitest';
import { replayThread, steppedAtomics } from '../../sync/testing/replay-thread.js';
import { explore, type Program } from '../../sync/testing/schedule-explorer.js';
import { ClaimRing } from './claim-ring.js';
import type { TaskAtomics } from './task-memory.js';

const ENTRIES = [11, 12, 13];
const CAPACITY = 2;
type RingClass = new (words: Int32Array, at: number, capacity: number, atomics: TaskAtomics) => ClaimRing;

/** Creates a program of one producer and two consumers. The ring has fewer cells than there are entries. */
function program(Ring: RingClass): () => Program {
  return () => {
    const words = new Int32Array(new SharedArrayBuffer((2 + 2 * CAPACITY) * 4));
    const taken: number[] = [];
    let pushed = 0;
    const ringOf = (atomics: typeof Atomics) => new Ring(words, 0, CAPACITY, atomics as TaskAtomics);
    const consumer = () =>
      replayThread((stepper) => {
        const ring = ringOf(steppedAtomics(stepper));
        for (;;) {
          stepper.wait('an entry', () => words[0] !== words[1] || pushed === ENTRIES.length);
          if (ring.take()) stepper.act('takes', () => taken.push(ring.slot));
          else if (stepper.act('all pushed?', () => pushed === ENTRIES.length && words[0] === words[1]))
            return;
        }
      });
    return {
      threads: {
        producer: replayThread((stepper) => {
          const ring = ringOf(steppedAtomics(stepper));
          for (const entry of ENTRIES) {
            while (!ring.push(entry, 0)) stepper.wait('room', () => words[1]! - words[0]! < CAPACITY);
            stepper.act('has pushed', () => pushed++);
          }
        }),
        'consumer 1': consumer(),
        'consumer 2': consumer(),
      },
      atEnd: () => expect([...taken].sort()).toEqual(ENTRIES),
    };
  };
}

it('T3: every entry is taken once, with up to 3 delays', () => {
  const bound = { maxDelays: 3 };
  const { schedules, steps } = explore(program(ClaimRing), bound);
  console.log(
    `T3 three entries, two places, two consumers: ${schedules} schedules of ${JSON.stringify(bound)}, ${steps} steps.`,
  );
  expect(schedules).toBeGreaterThan(500);
});

it('T3: the explorer catches ABA, in which the head returns to its old value although entries were taken meanwhile', () => {
  class Circling extends ClaimRing {
    readonly #words: Int32Array;
    readonly #atomics: TaskAtomics;
    constructor(words: Int32Array, at: number, capacity: number, atomics: TaskAtomics) {
      super(words, at, capacity, atomics);
      this.#words = words;
      this.#atomics = atomics;
    }
    override take(): boolean {
      for (;;) {
        const head = this.#atomics.load(this.#words, 0);
        if (head === this.#atomics.load(this.#words, 1)) return false;
        this.slot = this.#atomics.load(this.#words, 2 + 2 * (head % CAPACITY));
        // Compare only the cell, as if the head were kept modulo the capacity.
        const now = this.#atomics.load(this.#words, 0);
        if (now % CAPACITY !== head % CAPACITY) continue;
        if (this.#atomics.compareExchange(this.#words, 0, now, now + 1) === now) return true;
      }
    }
  }
  expect(() => explore(program(Circling), { maxPreemptions: 2 })).toThrow(/to deeply equal|Livelock/);
});

it('T3: the explorer catches entries that are taken twice, because the head is read and written in two steps', () => {
  class Careless extends ClaimRing {
    readonly #words: Int32Array;
    readonly #atomics: TaskAtomics;
    constructor(words: Int32Array, at: number, capacity: number, atomics: TaskAtomics) {
      super(words, at, capacity, atomics);
      this.#words = words;
      this.#atomics = atomics;
    }
    override take(): boolean {
      const head = this.#atomics.load(this.#words, 0);
      if (head === this.#atomics.load(this.#words, 1)) return false;
      this.slot = this.#atomics.load(this.#words, 2 + 2 * (head % CAPACITY));
      this.#atomics.store(this.#words, 0, head + 1);
      return true;
    }
  }
  expect(() => explore(program(Careless), { maxPreemptions: 2 })).toThrow(/to deeply equal/);
});

import { expect, it } from 'vitest';
import { replayThread, steppedAtomics } from '../../sync/testing/replay-thread.js';
import { explore, type Program } from '../../sync/testing/schedule-explorer.js';
import { RangeHelper } from './range-helper.js';
import { RangeLoop } from './range-loop.js';
import { RANGE_MEMORY_BYTES, type RangeAtomics, RangePhase, RangeWord, stateAt } from './range-memory.js';

type HelperClass = new (words: Int32Array, number: number, atomics: RangeAtomics) => RangeHelper;
type LoopClass = new (
  words: Int32Array,
  wake: () => void,
  atomics: RangeAtomics,
  mostReads: number,
) => RangeLoop;

interface Options {
  readonly helpers: number;
  readonly Helper?: HelperClass;
  readonly Loop?: LoopClass;
  /** Number of atomic operations after which helper 1 dies. Default: it does not die. */
  readonly deathAfter?: number;
}

const RANGES = 2;
/** Argument of each loop. All ranges of the loop must return it. */
const LOOPS = [10, 20];

class Died extends Error {}

/**
 * Returns a program of two loops of two ranges, one after the other. A helper writes the loop's number into its own
 * array, from which the render thread collects it. The render thread writes straight to the results.
 */
function program({ helpers, Helper = RangeHelper, Loop = RangeLoop, deathAfter }: Options): () => Program {
  return () => {
    const words = new Int32Array(new SharedArrayBuffer(RANGE_MEMORY_BYTES));
    const results: number[][] = LOOPS.map(() => []);
    const own = Array.from({ length: helpers + 1 }, () => [0, 0]);
    let isOver = false;
    const argument = RangeWord.arguments;
    const threads: Record<string, Program['threads'][string]> = {
      render: replayThread((stepper) => {
        const loop = new Loop(words, () => {}, steppedAtomics(stepper) as RangeAtomics, 1);
        for (const [index, value] of LOOPS.entries()) {
          const result = results[index] as number[];
          stepper.act('argument', () => {
            words[argument] = value;
          });
          loop.run(RANGES, {
            run: (range) =>
              stepper.act('runs', () => {
                result[range] = value;
              }),
            collect: (range, helper) =>
              stepper.act('collects', () => {
                result[range] = own[helper]![range]!;
              }),
          });
        }
        stepper.act('over', () => {
          isOver = true;
        });
      }),
    };
    for (let number = 1; number <= helpers; number++) {
      threads[`helper ${number}`] = replayThread((stepper) => {
        let steps = 0;
        const stepped = steppedAtomics(stepper) as RangeAtomics;
        const mortal =
          (name: keyof RangeAtomics) =>
          (...given: unknown[]) => {
            if (number === 1 && steps++ === deathAfter) throw new Died();
            return (stepped[name] as (...given: unknown[]) => unknown)(...given);
          };
        const atomics = Object.fromEntries(
          (['load', 'store', 'add', 'compareExchange'] as const).map((name) => [name, mortal(name)]),
        ) as unknown as RangeAtomics;
        const helper = new Helper(words, number, atomics);
        let epoch = 0;
        try {
          for (;;) {
            stepper.wait('a loop', () => words[RangeWord.epoch] !== epoch || isOver);
            if (stepper.act('over?', () => isOver)) return;
            epoch = stepper.act('epoch', () => words[RangeWord.epoch]!);
            helper.help(() => {
              const value = stepper.act('reads', () => words[argument]!);
              return (range) =>
                stepper.act('runs', () => {
                  own[number]![range] = value;
                });
            });
          }
        } catch (error) {
          if (!(error instanceof Died)) throw error;
        }
      });
    }
    return {
      threads,
      atEnd: () =>
        expect(results).toEqual([
          [10, 10],
          [20, 20],
        ]),
    };
  };
}

it('R13: every range returns its own loop’s number on every thread, however late helpers are', () => {
  const one = explore(program({ helpers: 1 }), { maxDelays: 3 });
  const two = explore(program({ helpers: 2 }), { maxDelays: 2 });
  console.log(
    `R13 two loops of two ranges: ${one.schedules} schedules with one helper and at most 3 delays, ${two.schedules} with two helpers and at most 2 delays.`,
  );
  expect(one.schedules).toBeGreaterThan(500);
});

it('R13: a helper that dies before one of its first 12 steps changes no result', () => {
  let schedules = 0;
  for (let deathAfter = 0; deathAfter < 12; deathAfter++) {
    schedules += explore(program({ helpers: 1, deathAfter }), { maxDelays: 2 }).schedules;
  }
  console.log(`R13 a helper dies before each of its first 12 steps: ${schedules} schedules.`);
});

/** A helper that reports a range as done without checking whether it was taken back. */
class Careless extends RangeHelper {
  readonly #words: Int32Array;
  readonly #atomics: RangeAtomics;
  constructor(words: Int32Array, number: number, atomics: RangeAtomics) {
    super(words, number, atomics);
    this.#words = words;
    this.#atomics = atomics;
  }
  protected override change(range: number, from: number, to: number): boolean {
    if ((to & 3) !== RangePhase.done) return super.change(range, from, to);
    this.#atomics.store(this.#words, stateAt(range), to);
    return true;
  }
}

/** A helper that reads the arguments before the epoch, so the arguments may belong to an earlier loop. */
class Hasty extends RangeHelper {
  override help(prepare: () => ((range: number) => void) | null): number {
    const run = prepare();
    return super.help(() => run);
  }
}

it.each([
  ['that reports a range as done after it was taken back', Careless],
  ['that reads the arguments before the epoch', Hasty],
])('R13: a helper %s is caught', (_, Helper) => {
  expect(() => explore(program({ helpers: 1, Helper }), { maxDelays: 3 })).toThrow();
});

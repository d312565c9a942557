import { describe, expect, it, vi } from 'vitest';
import {
  type Body,
  program,
  type Snapshot,
  setUp,
  signal,
  tryAll,
  viewOf,
  waitFor,
} from '../../testing/fence-programs.js';
import { replayThread } from '../../testing/replay-thread.js';
import type { Program } from '../../testing/schedule-explorer.js';
import { FenceFlag, HALF_RANGE } from './fence-cell.js';

// Thousands of schedules take many seconds on a busy machine, so raise the tests' time limit.
vi.setConfig({ testTimeout: 120_000 });

describe('F1 the value, every schedule of few preemptions', () => {
  it('the value never decreases, whichever thread signals', () => {
    tryAll(program([signal(1n, 4n), signal(2n, 3n)], waitFor(4n), [4n]), { maxPreemptions: 2 });
  });

  it('the explorer catches signallers that store without comparing', () => {
    const storing =
      (value: bigint): Body =>
      ({ memory, cell }) => {
        const { atomics, words } = memory;
        if (cell.current < value) atomics.store(words, memory.cellOffset(0) / 8, value);
      };
    expect(() => tryAll(program([storing(1n), storing(2n)], () => {}, []))).toThrow(/went back from 2 to 1/);
  });
});

describe('F6 32 bits, every schedule of few preemptions', () => {
  const steps = [1n, 2n, 3n].map((count) => count * HALF_RANGE);
  const narrow =
    (reader: (view: Snapshot) => bigint, signallers: readonly (readonly bigint[])[]): (() => Program) =>
    () => {
      const { buffer, cell } = setUp(FenceFlag.is32Bit);
      return {
        threads: {
          ...Object.fromEntries(
            signallers.map((values, index) => [
              `signaller ${index + 1}`,
              replayThread((stepper) => {
                const view = viewOf(stepper, buffer);
                for (const value of values) view.cell.raise(value);
              }),
            ]),
          ),
          reader: replayThread((stepper) => {
            const view = viewOf(stepper, buffer);
            let last = 0n;
            for (let reading = 0; reading < 2; reading++) {
              const value = reader(view);
              if (value !== 0n && !steps.includes(value)) throw new Error(`${value} was never signalled.`);
              if (value < last) throw new Error(`The value went back from ${last} to ${value}.`);
              last = value;
            }
          }),
        },
        atEnd: () => expect(cell.current).toBe(steps[2]),
      };
    };

  it('never reads a value that was not signalled, across two wraps of half the range', () => {
    const result = tryAll(narrow(({ cell }) => cell.current, [steps]));
    expect(result.schedules).toBeGreaterThan(300);
    tryAll(
      narrow(({ cell }) => cell.current, [steps, steps]),
      { maxPreemptions: 2 },
    );
  });

  it('the explorer catches a reader that does not read the count of half ranges again', () => {
    const careless = ({ memory }: Snapshot): bigint => {
      const { atomics, ints } = memory;
      const at = memory.cellOffset(0) / 4;
      const halves = atomics.load(ints, at + 1);
      const low = atomics.load(ints, at);
      const isBehind = (halves & 1) !== low >>> 31;
      return (BigInt((halves + Number(isBehind)) >>> 0) << 31n) | BigInt(low & 0x7fffffff);
    };
    expect(() => tryAll(narrow(careless, [steps]))).toThrow(/was never signalled|went back/);
  });
});

describe('F7 references, every schedule of few preemptions', () => {
  type Outcome = 'opened' | 'gone';
  const opening = (open: (view: Snapshot) => boolean, close: (view: Snapshot) => void) => () => {
    const { buffer, cell } = setUp();
    const generation = cell.generation;
    let outcome: Outcome = 'gone';
    let deaths = 0;
    return {
      threads: {
        closer: replayThread((stepper) => close(viewOf(stepper, buffer))),
        opener: replayThread((stepper) => {
          outcome = open(viewOf(stepper, buffer)) ? 'opened' : 'gone';
        }),
      },
      atEnd: () => {
        // An opened fence is alive, and its last reference destroys it exactly once.
        if (outcome === 'opened') {
          if (!cell.isAlive || cell.generation !== generation) throw new Error('Opened a destroyed fence.');
          if (cell.unreference()) deaths++;
          if (deaths !== 1) throw new Error('The fence outlived its last reference.');
        }
        if (cell.isAlive) throw new Error('The fence outlived its last reference.');
      },
    };
  };

  it('opening a fence succeeds only while it is alive', () => {
    const result = tryAll(
      opening(
        ({ cell }) => cell.reference(1),
        ({ cell }) => void cell.unreference(),
      ),
    );
    expect(result.schedules).toBeGreaterThan(5);
  });

  it('the explorer catches an opener that counts without comparing', () => {
    const REFERENCES = 3;
    const careless = ({ memory }: Snapshot): boolean => {
      const { atomics, ints } = memory;
      const at = memory.cellOffset(0) / 4 + REFERENCES;
      if (atomics.load(ints, at) <= 0) return false;
      atomics.add(ints, at, 1);
      return true;
    };
    expect(() => tryAll(opening(careless, ({ cell }) => void cell.unreference()))).toThrow(/Opened|outlived/);
  });
});

import { describe, expect, it } from 'vitest';
import { arenaWords, TaggedArenas } from '../core/memory/tagged-arenas.js';
import { replayThread, steppedAtomics } from './testing/replay-thread.js';
import { explore } from './testing/schedule-explorer.js';

describe('M5: tagged linear arenas', () => {
  it('two threads never get the same block, in every explored order', () => {
    const { schedules } = explore(
      () => {
        const words = new Int32Array(new SharedArrayBuffer(arenaWords(64, 3) * 4));
        const memory = { words, blockBytes: 64, blocks: 3, isDevelopment: false };
        const got: number[] = [];
        const thread = (tag: number) =>
          replayThread((stepper) => {
            const arenas = new TaggedArenas(memory, steppedAtomics(stepper));
            for (let index = 0; index < 2; index++) {
              const { byteOffset } = arenas.allocate(tag, 33);
              stepper.act('has', () => got.push(byteOffset));
              if (tag === 1 && index === 0) arenas.freeTag(1);
            }
          });
        return {
          threads: { one: thread(1), two: thread(2) },
          atEnd: () => {
            const { usedBytes } = new TaggedArenas(memory).stats();
            expect(usedBytes).toBe(64 * 3);
            // The freed block may be used again; blocks in use are all different.
            expect(new Set(got).size).toBeGreaterThanOrEqual(3);
          },
        };
      },
      { maxPreemptions: 3 },
    );
    console.log(`M5: ${schedules} schedules of two threads, {"maxPreemptions":3}.`);
    expect(schedules).toBeGreaterThan(100);
  });
});

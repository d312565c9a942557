import { describe, expect, it } from 'vitest';
import { type ArenaMemory, arenaWords, FILL, TaggedArenas } from './tagged-arenas.js';

function memoryOf(blocks: number, isDevelopment = false): ArenaMemory {
  return { words: new Int32Array(arenaWords(64, blocks)), blockBytes: 64, blocks, isDevelopment };
}
const code = (code: string) => expect.objectContaining({ code });

describe('M5: tagged linear arenas', () => {
  it('allocations of a tag fill block after block in steps of 16 bytes, and freeTag frees them all', () => {
    const arenas = new TaggedArenas(memoryOf(3));
    const [first, second, third] = [20, 40, 1].map((bytes) => arenas.allocate('render', bytes));
    // 20 bytes take 32 bytes. Another 40 bytes don't fit into a block of 64.
    expect(second!.byteOffset - first!.byteOffset).toBe(64);
    expect(third!.byteOffset - second!.byteOffset).toBe(48);
    expect([first, second, third].map((view) => view!.length)).toEqual([20, 40, 1]);
    expect(arenas.stats()).toEqual({ blockBytes: 64, blocks: 3, usedBytes: 128, peakBytes: 128 });
    arenas.allocate(7, 1);
    expect(() => arenas.allocate(8, 1)).toThrow(code('arena-full'));
    expect(arenas.freeTag('render')).toBe(128);
    expect(arenas.freeTag('render')).toBe(0);
    expect(arenas.stats()).toMatchObject({ usedBytes: 64, peakBytes: 192 });
    expect(arenas.allocate(8, 1).byteOffset).toBe(first!.byteOffset);
  });

  it('each thread fills a block of its own, and loses it when another thread frees the tag', () => {
    const memory = memoryOf(4);
    const [one, two] = [new TaggedArenas(memory), new TaggedArenas(memory)];
    const [a, b] = [one.allocate(1, 16), two.allocate(1, 16)];
    expect(b.byteOffset - a.byteOffset).toBe(64);
    one.freeTag(1);
    // `two` has lost its block, so its next allocation is at the start of a newly claimed one.
    const c = one.allocate(2, 64);
    const d = two.allocate(1, 16);
    expect([c.byteOffset, d.byteOffset - a.byteOffset]).toEqual([a.byteOffset, 64]);
  });

  it('in development freed blocks hold FILL, and the next use of a block detects a write after the free', () => {
    const arenas = new TaggedArenas(memoryOf(1, true));
    const view = arenas.allocate('gpu', 8).fill(1);
    arenas.freeTag('gpu');
    expect([...view]).toEqual(new Array(8).fill(FILL));
    arenas.allocate('gpu', 8);
    arenas.freeTag('gpu');
    view[5] = 3;
    expect(() => arenas.allocate('game', 8)).toThrow(code('arena-written-after-free'));
  });

  it('reserve returns −1 if no block is free, and serves any number of tags in turn', () => {
    const arenas = new TaggedArenas(memoryOf(2));
    const other = new TaggedArenas(arenas.memory);
    for (let frame = 0; frame < 100; frame++) {
      expect(arenas.reserve(frame, 40) - arenas.memory.words.byteOffset).toBe(arenas.reserve(frame, 0) - 48);
      // Another thread frees the tag.
      other.freeTag(frame);
    }
    expect([0, 1, 2].map((tag) => arenas.reserve(tag, 64) < 0)).toEqual([false, false, true]);
  });

  it('invalid tags and sizes throw typed errors', () => {
    const arenas = new TaggedArenas(memoryOf(1));
    for (const bytes of [-1, 1.5, 65, Number.NaN]) {
      expect(() => arenas.allocate('game', bytes)).toThrow(code('option-out-of-range'));
    }
    for (const tag of ['gane', -1, 0.5, 2 ** 31] as never[]) {
      expect(() => arenas.allocate(tag, 1)).toThrow(code('option-invalid'));
    }
  });
});

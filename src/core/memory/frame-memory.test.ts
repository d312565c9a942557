import { describe, expect, it } from 'vitest';
import { FrameMemory } from './frame-memory.js';

describe('M5: frame memory', () => {
  it('hands out arrays that do not overlap, in whole elements', () => {
    const memory = new FrameMemory();
    const arrays = [3, 100, 0, 5000, 4096, 1].map((length) => memory.words(length));
    arrays.forEach((array, index) => {
      array.fill(index);
    });
    expect(arrays.map((array) => array.length)).toEqual([3, 100, 0, 5000, 4096, 1]);
    arrays.forEach((array, index) => {
      expect(array.every((value) => value === index)).toBe(true);
    });
  });

  it('returns the same views to frames that request the same lengths, and grows only for frames that need more', () => {
    const memory = new FrameMemory();
    const sizes: number[] = [];
    const frame = (lengths: readonly number[]) => {
      const views = lengths.map((length) => memory.words(length));
      memory.free();
      sizes.push(memory.byteLength);
      return views;
    };
    const first = frame([64, 64, 2000]);
    for (let count = 0; count < 100; count++) {
      frame([64, 64, 2000]).forEach((view, index) => {
        expect(view).toBe(first[index]);
      });
    }
    expect(new Set(sizes).size).toBe(1);
    // One array that is larger than a block.
    frame([100_000]);
    const large = memory.byteLength;
    expect(large).toBeGreaterThan(400_000);
    // Many arrays that need more blocks.
    for (let count = 0; count < 10; count++) frame(new Array(40).fill(25_000));
    const most = memory.byteLength;
    expect(most).toBeGreaterThan(40 * 100_000);
    expect(most).toBeLessThan(4 * 40 * 131_072);
    for (let count = 0; count < 10; count++) frame([64, 100_000, 25_000]);
    expect(memory.byteLength).toBe(most);
  });

  it('keeps the content of a frame’s arrays when later arrays of the frame need larger memory', () => {
    const memory = new FrameMemory();
    const before = memory.words(100).fill(7);
    memory.words(1_000_000).fill(8);
    expect(before.every((value) => value === 7)).toBe(true);
  });

  it('fills arrays of an ended frame in development', () => {
    globalThis.FENCEPOST_DEVELOPMENT = true;
    try {
      const memory = new FrameMemory();
      const array = memory.words(4).fill(1);
      memory.free();
      expect([...array]).toEqual(new Array(4).fill(0xdddddddd));
    } finally {
      globalThis.FENCEPOST_DEVELOPMENT = undefined;
    }
  });
});

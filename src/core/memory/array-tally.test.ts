import { describe, expect, it } from 'vitest';
import { ArrayTally, countDropped, leaveTally } from './array-tally.js';
import { grow, growIds } from './grow.js';

describe('M8 the tally of arrays', () => {
  it('counts arrays that grow while the tally is entered, and stops counting the arrays that they replace', () => {
    const tally = new ArrayTally();
    const before = tally.enter();
    let floats = grow(new Float32Array(0), 64);
    expect(tally.bytes).toBe(256);
    floats = grow(floats, 65);
    const ids = growIds(new Int32Array(0), 64);
    leaveTally(before);
    expect(tally.bytes).toBe(floats.byteLength + ids.byteLength);
    grow(ids, 65);
    expect(tally.bytes).toBe(512);
  });

  it('stops counting an array that is dropped', () => {
    const tally = new ArrayTally();
    const before = tally.enter();
    const floats = grow(new Float32Array(0), 64);
    countDropped(floats);
    countDropped(floats);
    leaveTally(before);
    expect(tally.bytes).toBe(0);
  });

  it('counts for the engine whose code runs', () => {
    const [a, b] = [new ArrayTally(), new ArrayTally()];
    const before = a.enter();
    const between = b.enter();
    const words = grow(new Uint32Array(0), 64);
    leaveTally(between);
    grow(words, 65);
    leaveTally(before);
    expect([a.bytes, b.bytes]).toEqual([512, 0]);
  });
});

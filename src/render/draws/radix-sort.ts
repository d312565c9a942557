import type { FrameMemory } from '../../core/memory/frame-memory.js';

/**
 * Sorts 32-bit keys and their values together, in four stable passes over eight bits each. So equal keys keep their
 * order, and the result is the same on every machine. A pass is skipped if its eight bits are the same in all keys. The
 * arrays between two passes are frame memory.
 */
export class RadixSorter {
  readonly #counts = new Uint32Array(256);
  readonly #memory: FrameMemory;

  constructor(memory: FrameMemory) {
    this.#memory = memory;
  }

  /** Sorts the first `count` elements of both arrays by key, ascending, in place. */
  sort(keys: Uint32Array, values: Uint32Array, count: number): void {
    let fromKeys: Uint32Array = keys;
    let fromValues: Uint32Array = values;
    // Reserves the length of the arrays instead of `count`, so that frame memory returns the same views in frames with
    // other counts.
    let toKeys: Uint32Array = this.#memory.words(keys.length);
    let toValues: Uint32Array = this.#memory.words(keys.length);
    for (let shift = 0; shift < 32; shift += 8) {
      if (!this.#scatter(fromKeys, fromValues, toKeys, toValues, count, shift)) continue;
      [fromKeys, toKeys] = [toKeys, fromKeys];
      [fromValues, toValues] = [toValues, fromValues];
    }
    if (fromKeys === keys) return;
    for (let index = 0; index < count; index++) {
      keys[index] = fromKeys[index] as number;
      values[index] = fromValues[index] as number;
    }
  }

  /** Runs one counting pass. Returns false and writes nothing if the pass's eight bits are the same in all keys. */
  #scatter(
    fromKeys: Uint32Array,
    fromValues: Uint32Array,
    toKeys: Uint32Array,
    toValues: Uint32Array,
    count: number,
    shift: number,
  ): boolean {
    const counts = this.#counts;
    counts.fill(0);
    for (let index = 0; index < count; index++) {
      const digit = ((fromKeys[index] as number) >>> shift) & 255;
      counts[digit] = (counts[digit] as number) + 1;
    }
    if (count === 0 || counts[((fromKeys[0] as number) >>> shift) & 255] === count) return false;
    let begin = 0;
    for (let digit = 0; digit < 256; digit++) {
      const size = counts[digit] as number;
      counts[digit] = begin;
      begin += size;
    }
    for (let index = 0; index < count; index++) {
      const key = fromKeys[index] as number;
      const digit = (key >>> shift) & 255;
      const place = counts[digit] as number;
      counts[digit] = place + 1;
      toKeys[place] = key;
      toValues[place] = fromValues[index] as number;
    }
    return true;
  }
}

const float = /* @__PURE__ */ new Float32Array(1);
const floatBits = /* @__PURE__ */ new Uint32Array(float.buffer);

/** Maps a float to an unsigned integer that sorts the same way (negative numbers below positive ones). */
export function sortableFloat(value: number): number {
  float[0] = value;
  const bits = floatBits[0] as number;
  return (bits & 0x80000000 ? ~bits : bits | 0x80000000) >>> 0;
}

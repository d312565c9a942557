/** Random numbers that depend only on a seed and the index of a case, so that any case can be repeated alone. */

/** Returns a whole number from 0 to `end` − 1. */
export type Random = (end: number) => number;

export function createRandom(seed: number, index: number): Random {
  let state = scramble(scramble(seed) + index);
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    return Math.floor((scramble(state) / 2 ** 32) * end);
  };
}

/** Mixes the bits, so that every bit of the result depends on every bit of the argument. */
function scramble(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

export const pick = <T>(random: Random, items: ArrayLike<T>): T => items[random(items.length)] as T;

/**
 * A whole number of 64 bits in two words of a page, the low one first. Up to 2^53 − 1 it is read as a number, so that
 * counting allocates nothing; above as a bigint.
 *
 *   words  … | low | high | …
 */
const HALF = 2 ** 32;
/** The high word of 2^53. */
const NUMBERS_END = 2 ** 21;

/** @param value whole, from 0 below 2^64; a number only up to 2^53 − 1 */
export function writeLong(words: Uint32Array, at: number, value: number | bigint): void {
  if (typeof value === 'bigint') {
    words[at] = Number(value & 0xffffffffn);
    words[at + 1] = Number(value >> 32n);
  } else {
    words[at] = value % HALF;
    words[at + 1] = value / HALF;
  }
}

export function readLong(words: Uint32Array, at: number): number | bigint {
  const [low, high] = [words[at], words[at + 1]];
  return high < NUMBERS_END ? high * HALF + low : (BigInt(high) << 32n) | BigInt(low);
}

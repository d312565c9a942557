/**
 * Values of 64 bits in two words of a page, the low word first.
 *
 *   words  … | low | high | …
 */
const scratch = /* @__PURE__ */ new Float64Array(1);
const scratchWords = /* @__PURE__ */ new Uint32Array(scratch.buffer);

/** Writes a 64-bit float. Writing and reading allocate nothing. */
export function writeDouble(words: Uint32Array, at: number, value: number): void {
  scratch[0] = value;
  words[at] = scratchWords[0];
  words[at + 1] = scratchWords[1];
}

export function readDouble(words: Uint32Array, at: number): number {
  scratchWords[0] = words[at];
  scratchWords[1] = words[at + 1];
  return scratch[0];
}

const HALF = 2 ** 32;

/** The high word of 2^53. */
const NUMBERS_END = 2 ** 21;

/** Writes a whole number. @param value from 0 to 2^64 − 1; above 2^53 − 1 it must be a bigint */
export function writeLong(words: Uint32Array, at: number, value: number | bigint): void {
  if (typeof value === 'bigint') {
    words[at] = Number(value & 0xffffffffn);
    words[at + 1] = Number(value >> 32n);
  } else {
    words[at] = value % HALF;
    words[at + 1] = value / HALF;
  }
}

/** Reads a whole number. @returns a number up to 2^53 − 1, so that counting doesn't allocate; a bigint above */
export function readLong(words: Uint32Array, at: number): number | bigint {
  const [low, high] = [words[at], words[at + 1]];
  return high < NUMBERS_END ? high * HALF + low : (BigInt(high) << 32n) | BigInt(low);
}

import { countGrown } from './array-tally.js';

/**
 * Structure-of-arrays storage grows by doubling, so that adding objects one by one costs amortised constant
 * time and steady state allocates nothing. Lengths are in elements.
 */
type GrowableArray = Float32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array | Int32Array;

/**
 * Returns `array` itself if it is long enough, else a copy of at least twice the length, padded with zeros.
 */
export function grow<T extends GrowableArray>(array: T, length: number): T {
  if (array.length >= length) return array;
  const larger = new (array.constructor as new (length: number) => T)(grownLength(array.length, length));
  larger.set(array);
  countGrown(larger, array);
  return larger;
}

/** Returns an array of ids that is long enough, as `grow` does. New elements are −1, which means none. */
export function growIds(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const larger = new Int32Array(grownLength(array.length, length)).fill(-1, array.length);
  larger.set(array);
  countGrown(larger, array);
  return larger;
}

/** Returns the next capacity that holds `needed` elements. */
export function grownLength(current: number, needed: number): number {
  return Math.max(current * 2, needed, 64);
}

/** Number of jitters before they repeat. */
const JITTERS = 64;
/** Half the distance between neighbouring jitters along an axis. */
const HALF_STEP = 0.5 / JITTERS;
const HIGHEST_BIT = 2 ** 31;

/**
 * Returns a number of the sequence of van der Corput (1935), from 0 to below 1. The binary digits of `index` in reverse
 * order are its digits after the point.
 */
function mirrored(index: number): number {
  let bits = 0;
  for (let rest = index, digit = HIGHEST_BIT; rest > 0; rest >>>= 1, digit /= 2) bits += (rest & 1) * digit;
  return bits / 2 ** 32;
}

/** Returns a number of the second dimension of Sobol's sequence (1967), from 0 to below 1. */
function scrambled(index: number): number {
  let bits = 0;
  for (let rest = index, digit = HIGHEST_BIT; rest > 0; rest >>>= 1, digit = (digit ^ (digit >>> 1)) >>> 0)
    if (rest & 1) bits ^= digit;
  return (bits >>> 0) / 2 ** 32;
}

/**
 * Writes the jitter of a frame in pixels, from −0.5 to 0.5. The jitters repeat after 64 frames, and their mean is 0.
 * Each group of 4, 16 or 64 jitters covers the pixel evenly, if its first frame is a multiple of the group's length.
 * @param frame number of the frame, at least 0
 * @param out receives the jitter along X and along Y
 */
export function writeJitter(frame: number, out: Float64Array): void {
  const index = frame % JITTERS;
  out[0] = mirrored(index) + HALF_STEP - 0.5;
  out[1] = scrambled(index) + HALF_STEP - 0.5;
}

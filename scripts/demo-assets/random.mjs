// Pseudo-random numbers that are the same on every machine: a small integer generator, and value noise built on it. All
// parts of the demo's scene use these numbers, so the script always writes the same file.

/** Creates a generator of numbers from 0 to 1 (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  };
  return { next, between: (low, high) => low + (high - low) * next() };
}

function latticeValue(x, y, z) {
  let bits = Math.imul(x, 374761393) + Math.imul(y, 668265263) + Math.imul(z, 1274126177);
  bits = Math.imul(bits ^ (bits >>> 13), 1103515245);
  return ((bits ^ (bits >>> 16)) >>> 0) / 4294967296;
}

const fade = (t) => t * t * (3 - 2 * t);
const mix = (a, b, t) => a + (b - a) * t;

/** Returns smooth noise from −1 to 1. `period` > 0 makes x and y repeat after that many cells. */
export function noise(x, y, z = 0, period = 0) {
  const [x0, y0, z0] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const [tx, ty, tz] = [fade(x - x0), fade(y - y0), fade(z - z0)];
  const wrap = (cell) => (period > 0 ? ((cell % period) + period) % period : cell);
  const corner = (i, j, k) => latticeValue(wrap(x0 + i), wrap(y0 + j), z0 + k);
  const plane = (k) =>
    mix(mix(corner(0, 0, k), corner(1, 0, k), tx), mix(corner(0, 1, k), corner(1, 1, k), tx), ty);
  return mix(plane(0), plane(1), tz) * 2 - 1;
}

/** Returns several octaves of noise, about −1 to 1. */
export function fractalNoise(x, y, z = 0, octaves = 4, period = 0) {
  let sum = 0;
  let amplitude = 0.5;
  for (let octave = 0; octave < octaves; octave++) {
    const scale = 2 ** octave;
    sum += amplitude * noise(x * scale, y * scale, z * scale + 17 * octave, period * scale);
    amplitude /= 2;
  }
  return sum;
}

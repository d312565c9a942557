const float = /* @__PURE__ */ new Float32Array(1);
const bits = /* @__PURE__ */ new Uint32Array(float.buffer);

/** Returns a number from 0 to 65,504 as a half float, rounded to the nearest. Called per changed colour. */
export function halfFloat(value: number): number {
  // Subnormal half floats are multiples of 2^−24.
  if (value < 2 ** -14) return Math.round(value * 2 ** 24);
  float[0] = value;
  const rounded = (bits[0] as number) + 0x1000;
  return ((rounded >>> 13) - (112 << 10)) & 0x7fff;
}

/** Packs two numbers into a word as half floats, as `unpack2x16float` reads it. */
export const packHalfFloats = (low: number, high: number): number => halfFloat(low) | (halfFloat(high) << 16);

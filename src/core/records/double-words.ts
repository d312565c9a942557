/**
 * A 64-bit float in two words of a page, the low one first. Allocates nothing.
 *
 *   words  … | low | high | …
 */
const scratch = /* @__PURE__ */ new Float64Array(1);
const scratchWords = /* @__PURE__ */ new Uint32Array(scratch.buffer);

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

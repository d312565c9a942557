/** A `string` field by hand: its length in bytes, then UTF-8, padded with zeros to a whole word. */

export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Writes what `encodeText` made at `words[at]`; it takes 1 + ⌈length / 4⌉ words. */
export function writeText(words: Uint32Array, at: number, bytes: Uint8Array): void {
  words[at] = bytes.length;
  const count = (bytes.length + 3) >> 2;
  words.fill(0, at + 1, at + 1 + count);
  new Uint8Array(words.buffer, words.byteOffset + (at + 1) * 4, count * 4).set(bytes);
}

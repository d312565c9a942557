/**
 * FNV-1a over 32-bit words. Every step is a bijection, so one changed word always changes the result; several do
 * so but for one case in 2³². It finds accidents, not forgeries: what a decoder relies on is checked by itself.
 */
export function checksum(words: Uint32Array, start = 0, end = words.length): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ words[i], 0x01000193);
  return hash >>> 0;
}

/** The same over a text's UTF-16 units. */
export function textChecksum(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

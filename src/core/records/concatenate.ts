/** Returns the words of all parts in order. */
export function concatenate(parts: readonly Uint32Array[]): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * Words of records kept from one frame to be compared with the next one's: by the replay of passes and by the validation
 * layer. Plain functions over arrays, because they are called per page, and readers come in many shapes.
 *
 *   kept   | set … | draw … | draw … | end |      starts  0 3 8 13
 *   page     set … | draw … | draw'…                equal up to here: startOf says which record differs
 */

/** How many words are the same, from `position` of those kept and from `cursor` of a page on. Per frame. */
export function countEqual(
  kept: Uint32Array,
  position: number,
  length: number,
  words: Uint32Array,
  cursor: number,
  used: number,
): number {
  const count = Math.min(length - position, used - cursor);
  let i = 0;
  for (const last = count - 4; i <= last; i += 4) {
    const a = position + i;
    const b = cursor + i;
    const difference =
      (kept[a] ^ words[b]) |
      (kept[a + 1] ^ words[b + 1]) |
      (kept[a + 2] ^ words[b + 2]) |
      (kept[a + 3] ^ words[b + 3]);
    if (difference !== 0) break;
  }
  while (i < count && kept[position + i] === words[cursor + i]) i++;
  return i;
}

/**
 * Where the record that `position` lies in begins.
 * @param starts of the records, rising; the first `count` of them
 */
export function startOf(starts: Uint32Array, count: number, position: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= position) low = middle;
    else high = middle - 1;
  }
  return starts[low] ?? 0;
}

/** The same words with room for `needed`: the array itself, or a copy of twice the size or more. */
export function withRoom(
  words: Uint32Array<ArrayBuffer>,
  used: number,
  needed: number,
): Uint32Array<ArrayBuffer> {
  if (needed <= words.length) return words;
  const more = new Uint32Array(2 ** Math.ceil(Math.log2(needed)));
  more.set(words.subarray(0, used));
  return more;
}

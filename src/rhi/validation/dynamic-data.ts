/**
 * Data that lives for one frame (SYSTEMS L5): a range of a dynamic page may be read only in the list that wrote it.
 * Dynamic pages are known by their label; a word carries the number of the list that wrote it, plus one.
 *
 *   list 7   commit 0…256 ─► words 0…64 carry 8     bind 0…256: fine
 *   list 8                                          bind 0…256: nothing in it carries 9, so it has expired
 */
import { type BindGroupModel, type BufferModel, nameOf } from './models.js';
import type { ValidationState } from './state.js';

export function noteDynamicWrite(
  { list }: ValidationState,
  { writtenInList }: BufferModel,
  byteOffset: number,
  byteLength: number,
): void {
  writtenInList?.fill(list + 1, byteOffset >> 2, (byteOffset + byteLength) >> 2);
}

/** Something in the range was written in this list; a binding may be longer than the data in it. Per draw. */
export function dynamicDataIsFresh(
  state: ValidationState,
  buffer: BufferModel,
  byteOffset: number,
  byteLength: number,
): boolean {
  const written = buffer.writtenInList;
  if (written === null || byteLength === 0) return true;
  const wanted = state.list + 1;
  const end = (byteOffset + byteLength + 3) >> 2;
  for (let word = byteOffset >> 2; word < end; word++) if (written[word] === wanted) return true;
  const { command, frame } = state;
  const range = { first: byteOffset, end: byteOffset + byteLength };
  return state.report('dynamic-data-expired', { command, buffer: nameOf(buffer), frame, ...range });
}

/** @param offsetsAt index of the first dynamic offset */
export function groupDataIsFresh(
  state: ValidationState,
  group: BindGroupModel,
  words: Uint32Array,
  offsetsAt: number,
): boolean {
  if (!group.hasDynamicData) return true;
  let at = offsetsAt;
  for (const { buffer, byteOffset, byteLength, isDynamic } of group.buffers) {
    const first = byteOffset + (isDynamic ? words[at++] : 0);
    if (!dynamicDataIsFresh(state, buffer, first, byteLength)) return false;
  }
  return true;
}

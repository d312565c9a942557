/**
 * Data that lives for one frame (SYSTEMS L5): a range of a dynamic page may be read only in the list that wrote it.
 * Dynamic pages are known by their label; a word carries the number of the list that wrote it, plus one.
 *
 *   list 7   commit 0…256 ─► words 0…64 carry 8     bind 0…256: fine
 *   list 8                                          bind 0…256: nothing in it carries 9, so it has expired
 */
import { type Model, nameOf } from './models.js';
import type { RecordCheck } from './record-check.js';
import type { ValidationState } from './state.js';

/** `writeBuffer` and `writeBufferUnordered`: buffer, byteOffset, data. */
function writeBuffer({ state, model, words, at }: RecordCheck): boolean {
  const [byteOffset, byteLength] = [words[at + 1], words[at + 2]];
  model.writtenInList?.fill(state.list + 1, byteOffset >> 2, (byteOffset + byteLength) >> 2);
  return true;
}

/** Something in the range was written in this list; a binding may be longer than the data in it. Per draw. */
export function dynamicDataIsFresh(
  state: ValidationState,
  buffer: Model,
  byteOffset: number,
  byteLength: number,
): boolean {
  const written = buffer.writtenInList;
  if (written === null || byteLength === 0) return true;
  const wanted = state.list + 1;
  const end = Math.min(written.length, (byteOffset + byteLength + 3) >>> 2);
  for (let word = byteOffset >>> 2; word < end; word++) if (written[word] === wanted) return true;
  const { command, frame } = state;
  const range = { first: byteOffset, end: byteOffset + byteLength };
  return state.report('dynamic-data-expired', { command, buffer: nameOf(buffer), frame, ...range });
}

/** @param offsetsAt index of the count of dynamic offsets, which lie behind it */
export function groupDataIsFresh(
  state: ValidationState,
  group: Model,
  words: Uint32Array,
  offsetsAt: number,
): boolean {
  if (!group.hasDynamicData) return true;
  const given = words[offsetsAt];
  let offsets = 0;
  for (const { model, byteOffset, byteLength, isDynamic } of group.references) {
    const isGiven = isDynamic && offsets < given;
    const first = byteOffset + (isGiven ? words[offsetsAt + 1 + offsets++] : 0);
    if (!dynamicDataIsFresh(state, model, first, byteLength)) return false;
  }
  return true;
}

export const dataChecks: Readonly<Record<string, (check: RecordCheck) => boolean>> = {
  writeBuffer,
  writeBufferUnordered: writeBuffer,
};

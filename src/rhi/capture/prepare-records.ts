/**
 * The records of a capture as they are replayed. Two things differ from what was recorded, and no pixel: resources
 * may also be written and read by the replay, and frames wait for their pipelines, so that nothing is left out.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { FrameFlag, RhiOpcode } from '../commands/commands.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { encodeJson, jsonAt } from '../commands/record-fields.js';
import { WordList } from './word-list.js';

const MAPPED = BufferUsage.mapRead | BufferUsage.mapWrite;

/** One record in for one record out. */
export function prepareRecords(words: Uint32Array): Uint32Array {
  const prepared = new WordList();
  for (let at = 0; at < words.length; ) {
    const end = at + (words[at] >>> HEADER_LENGTH_SHIFT);
    const opcode = words[at] & 0xff;
    if (opcode === RhiOpcode.createBuffer) append(prepared, words, at, (usage) => bufferUsage(usage));
    else if (opcode === RhiOpcode.createTexture) {
      append(prepared, words, at, (usage) => usage | TextureUsage.copyTarget | TextureUsage.textureBinding);
    } else if (opcode === RhiOpcode.beginFrame) {
      const record = words.slice(at, end);
      record[2] |= FrameFlag.waitForPipelines;
      prepared.append(record, 0, record.length);
    } else prepared.append(words, at, end);
    at = end;
  }
  return prepared.toArray();
}

const bufferUsage = (usage: number): number =>
  (usage & MAPPED) !== 0 ? usage : usage | BufferUsage.copyTarget;

function append(
  prepared: WordList,
  words: Uint32Array,
  at: number,
  usageOf: (usage: number) => number,
): void {
  const descriptor = jsonAt<{ readonly usage: number }>(words, at + 1, 1);
  const json = encodeJson({ ...descriptor, usage: usageOf(descriptor.usage) });
  const record = new Uint32Array(3 + ((json.length + 3) >>> 2));
  record.set([(words[at] & 0xff) | (record.length << HEADER_LENGTH_SHIFT), words[at + 1], json.length]);
  new Uint8Array(record.buffer, 12, json.length).set(json);
  prepared.append(record, 0, record.length);
}

/** Where each record begins, and at the end where the last one ends. */
export function recordOffsets(words: Uint32Array): number[] {
  const offsets = [0];
  for (let at = 0; at < words.length; ) {
    at += words[at] >>> HEADER_LENGTH_SHIFT;
    offsets.push(at);
  }
  return offsets;
}

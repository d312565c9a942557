/**
 * What records do to buffers, as far as they say (SYSTEMS M7). A command reads or changes the buffers that its fields
 * name. A bind group changes those that its layout binds as writable storage, in whatever pass sets it. A draw bundle does
 * what its records do, each time it is executed; a group in it means then what it means in a list.
 *
 *   copyBufferToBuffer   | source | sourceByteOffset | target | targetByteOffset | byteLength |
 *                          read                        changed  from               so many bytes
 */

import { jsonAt } from '../../core/records/record-fields.js';
import { type CommandInfo, commandInfo, type HandleWord } from '../commands/command-info.js';
import { RhiOpcode } from '../commands/commands.js';
import type { BindGroupDescriptor, BindGroupLayoutDescriptor } from '../commands/descriptors.js';
import { ResourceKind } from '../commands/handles.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { bundleAt } from '../record/draw-bundle.js';

/** Words of a command's fields, by opcode; −1: it has no such field. */
export const bufferWords = /* @__PURE__ */ commandInfo.map(wordsOf);

function wordsOf(info: CommandInfo | undefined) {
  const handles = info?.handles ?? [];
  const isRead = ({ kinds, isCreated, usage, changes }: HandleWord): boolean =>
    kinds.length === 1 &&
    kinds[0] === ResourceKind.buffer &&
    !isCreated &&
    changes === null &&
    usage !== undefined &&
    usage !== 'copyTarget';
  const changed = handles.find(({ changes }) => changes !== null);
  return {
    /** A buffer that it reads. */
    read: handles.find(isRead)?.word ?? -1,
    /** A buffer that it changes at its place in the list. */
    changed: changed?.word ?? -1,
    /** The offset in bytes of what it changes; without one, that may be anywhere. */
    from: changed?.changes?.fromWord ?? -1,
    /** The length in bytes; without one, it may reach to the buffer's end. */
    length: changed?.changes?.lengthWord ?? -1,
  };
}

/** A part of a buffer that a shader may write, in bytes. */
interface ChangedRange {
  readonly buffer: number;
  readonly begin: number;
  /** Infinite where the record does not say it. */
  readonly end: number;
}

/** What a bind group does where it is set, or a draw bundle where it is executed. */
export interface Effect {
  readonly uses: Iterable<number>;
  readonly changes: readonly ChangedRange[];
  /** Bind groups that are set. */
  readonly groups: Iterable<number>;
}

/** Bindings of a layout that are writable storage; true: their offset is told when the group is set. */
export type WritableBindings = ReadonlyMap<number, boolean>;

export function writableBindings(words: Uint32Array, fields: number): WritableBindings {
  const { entries } = jsonAt<BindGroupLayoutDescriptor>(words, fields, 1);
  const writable = entries.filter(({ buffer }) => buffer?.type === 'storage');
  return new Map(writable.map(({ binding, buffer }) => [binding, buffer?.hasDynamicOffset === true]));
}

/** @param layouts what is known; a group of another layout may change all its buffers */
export function groupEffect(
  words: Uint32Array,
  fields: number,
  layouts: ReadonlyMap<number, WritableBindings>,
): Effect {
  const { layout, entries } = jsonAt<BindGroupDescriptor>(words, fields, 1);
  const writable = layouts.get(layout);
  const uses: number[] = [];
  const changes: ChangedRange[] = [];
  for (const entry of entries) {
    if (!('buffer' in entry)) continue;
    const { binding, buffer, byteOffset: begin = 0, byteLength } = entry;
    uses.push(buffer);
    if (writable !== undefined && !writable.has(binding)) continue;
    const isFixed = writable?.get(binding) === false && byteLength !== undefined;
    changes.push({ buffer, begin, end: isFixed ? begin + byteLength : Number.POSITIVE_INFINITY });
  }
  return { uses, changes, groups: [] };
}

/** @param fieldWords of the record that creates it */
export function bundleEffect(words: Uint32Array, fields: number, fieldWords: number): Effect {
  const uses = new Set<number>();
  const groups = new Set<number>();
  for (const record of new RecordSequence(bundleAt(words, fields, fieldWords).commands)) {
    const read = bufferWords[record.opcode]?.read ?? -1;
    if (read >= 0) uses.add(record.words[record.fields + read]);
    if (record.opcode === RhiOpcode.setBindGroup) groups.add(record.words[record.fields + 1]);
  }
  return { uses, changes: [], groups };
}

/**
 * The effects of records on buffers, as far as the records show them (SYSTEMS M7). A command reads or changes the
 * buffers whose handles are in its fields. A bind group changes the buffers that its layout binds as writable storage,
 * in every pass that sets the group. A draw bundle has the effects of its records each time it is executed.
 *
 *   copyBufferToBuffer   | source | sourceByteOffset | target | targetByteOffset | byteLength |
 *                          read                        changed  from               number of bytes
 */

import { jsonAt } from '../../core/records/record-fields.js';
import { type CommandInfo, commandInfo, type HandleWord } from '../commands/command-info.js';
import { RhiOpcode } from '../commands/commands.js';
import type { BindGroupDescriptor, BindGroupLayoutDescriptor } from '../commands/descriptors.js';
import { ResourceKind } from '../commands/handles.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { bundleAt } from '../record/draw-bundle.js';

/** Indices of fields that concern buffers, by opcode; −1: the command has no such field. */
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
    /** The handle of a buffer that the command reads. */
    read: handles.find(isRead)?.word ?? -1,
    /** The handle of a buffer that the command changes, in list order. */
    changed: changed?.word ?? -1,
    /** The byte offset of the change. Without such a field, the change may begin anywhere. */
    from: changed?.changes?.fromWord ?? -1,
    /** The length of the change in bytes. Without such a field, the change may reach to the buffer's end. */
    length: changed?.changes?.lengthWord ?? -1,
  };
}

/** A part of a buffer that a shader may write, in bytes. */
interface ChangedRange {
  readonly buffer: number;
  readonly begin: number;
  /** Infinite if the record does not contain the length, or if the offset is dynamic or the layout unknown. */
  readonly end: number;
}

/** The effect of setting a bind group, or of executing a draw bundle. */
export interface Effect {
  readonly uses: Iterable<number>;
  readonly changes: readonly ChangedRange[];
  /** Bind groups that the bundle sets. */
  readonly groups: Iterable<number>;
}

/** Writable storage bindings of a layout, by binding number. The value is true if the binding's offset is dynamic. */
export type WritableBindings = ReadonlyMap<number, boolean>;

export function writableBindings(words: Uint32Array, fields: number): WritableBindings {
  const { entries } = jsonAt<BindGroupLayoutDescriptor>(words, fields, 1);
  const writable = entries.filter(({ buffer }) => buffer?.type === 'storage');
  return new Map(writable.map(({ binding, buffer }) => [binding, buffer?.hasDynamicOffset === true]));
}

/** Returns the effect of setting a bind group. If its layout is unknown, the group may change all its buffers. */
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

/** Returns the effect of executing a draw bundle. @param fieldWords number of field words of the creating record */
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

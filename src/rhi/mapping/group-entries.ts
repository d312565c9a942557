/**
 * What bind groups and draw bundles do to buffers, as far as the records that created them say (SYSTEMS M7). A bind
 * group changes the buffers that its layout binds as writable storage, in whatever pass sets it. A draw bundle does
 * what its records do, each time it is executed; a group in it means then what it means in a list.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands/commands.js';
import type { BindGroupDescriptor, BindGroupLayoutDescriptor } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import { bundleAt } from '../record/draw-bundle.js';
import { READ_FIELD } from './buffer-records.js';

/** A part of a buffer that a shader may write, in bytes. */
export interface ChangedRange {
  readonly buffer: number;
  readonly begin: number;
  /** Infinite where the record does not say it. */
  readonly end: number;
}

export interface GroupEntry {
  readonly uses: readonly number[];
  readonly changes: readonly ChangedRange[];
}

/** Bindings of a layout that are writable storage; true: their offset is told when the group is set. */
export type WritableBindings = ReadonlyMap<number, boolean>;

export interface BundleEntry {
  /** Vertices, indices and indirect arguments. */
  readonly uses: readonly number[];
  readonly groups: readonly number[];
}

export function writableBindings(words: Uint32Array, fields: number): WritableBindings {
  const { entries } = jsonAt<BindGroupLayoutDescriptor>(words, fields, 1);
  const writable = entries.filter(({ buffer }) => buffer?.type === 'storage');
  return new Map(writable.map(({ binding, buffer }) => [binding, buffer?.hasDynamicOffset === true]));
}

/** @param layouts what is known; a group of another layout may change all its buffers */
export function groupEntry(
  words: Uint32Array,
  fields: number,
  layouts: ReadonlyMap<number, WritableBindings>,
): GroupEntry {
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
  return { uses, changes };
}

/** @param fieldWords of the record that creates it */
export function bundleEntry(words: Uint32Array, fields: number, fieldWords: number): BundleEntry {
  const { commands } = bundleAt(words, fields, fieldWords);
  const uses = new Set<number>();
  const groups = new Set<number>();
  for (let at = 0; at < commands.length; ) {
    const header = commands[at];
    const opcode = header & 0xff;
    const readField = READ_FIELD[opcode];
    if (readField > 0) uses.add(commands[at + readField]);
    if (opcode === RhiOpcode.setBindGroup) groups.add(commands[at + 2]);
    at += Math.max(1, header >>> HEADER_LENGTH_SHIFT);
  }
  return { uses: [...uses], groups: [...groups] };
}

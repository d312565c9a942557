/**
 * The annotations with which the table of commands (`commands.ts`) describes the meaning of each field of a record. All
 * code that handles commands generically derives from these annotations (see `command-info.ts`).
 *
 *   source: handle('buffer', 'copySource')     a live buffer with this usage, whose contents are read
 *   targetByteOffset: word({ multipleOf: 4 })  an offset in bytes
 *   region: json('texture region')             an object with the fields of that shape (`descriptor-shapes.ts`)
 */
import type { FieldType } from '../../core/records/record-table.js';
import type { DescribedKind } from './descriptor-shapes.js';
import type { BufferUsage, TextureUsage } from './descriptors.js';
import { ResourceKind, type ResourceKindName } from './handles.js';

/** A usage that a resource must have for a command, in the words of `BufferUsage` or `TextureUsage`. */
export type UsageName = keyof typeof BufferUsage | keyof typeof TextureUsage;

/** Limits of a word's value. */
export interface WordRule {
  /** Required divisor, for offsets and lengths in bytes. */
  readonly multipleOf?: number;
  /** The largest value. */
  readonly most?: number;
}

/** A range of a buffer that a command changes or reads: names of the fields with its offset and length in bytes. */
export interface BufferRange {
  readonly from?: string;
  readonly length?: string;
}

export interface Field<Wire extends FieldType = FieldType> {
  /** Encoding of the field. */
  readonly wire: Wire;
  /** Kinds of resource, if the field is a handle. */
  readonly kinds?: readonly ResourceKind[];
  /** The command creates the resource that the handle names. */
  readonly isCreated?: true;
  /** Usage that the resource must have been created with. */
  readonly usage?: UsageName;
  /**
   * Range of this buffer that the command changes in list order. Without it, the command does not change the buffer, or
   * changes it out of order (`writeBufferUnordered`, `renameBuffer`).
   */
  readonly changes?: BufferRange;
  /** Range of this buffer that the command reads, if fields of the record specify it. */
  readonly reads?: BufferRange;
  readonly rule?: WordRule;
  /** Marks a fence's value: a whole number, at least 0 and below 2^64 − 1. */
  readonly isFenceValue?: true;
  /** Shape against which the object's members are checked. */
  readonly shape?: DescribedKind;
  /** Marks an object that is encoded once and counts as immutable. Callers pass a new object to change it. */
  readonly isKept?: true;
  /** Type of the attachment that travels beside the stream. */
  readonly brings?: 'ArrayBuffer' | 'ImageBitmap';
  /** Value that the field gets if the call omits the argument. */
  readonly default?: unknown;
}

export type CommandFields = Readonly<Record<string, Field>>;

/** Describes a field with a whole number from 0 to 2³² − 1. */
export const word = (rule?: WordRule): Field<'u32'> => ({ wire: 'u32', ...(rule && { rule }) });
export const signed = (): Field<'i32'> => ({ wire: 'i32' });
export const float = (): Field<'f32'> => ({ wire: 'f32' });
export const double = (): Field<'f64'> => ({ wire: 'f64' });
/** Describes a field with the value of a fence. */
export const fenceValue = (): Field<'u64'> => ({ wire: 'u64', isFenceValue: true });
export const text = (): Field<'string'> => ({ wire: 'string' });
export const bytes = (): Field<'bytes'> => ({ wire: 'bytes' });
export const words = (): Field<'u32[]'> => ({ wire: 'u32[]' });
export const json = (shape: DescribedKind): Field<'json'> => ({ wire: 'json', shape });
export const beside = (brings: 'ArrayBuffer' | 'ImageBitmap'): Field<'attachment'> => ({
  wire: 'attachment',
  brings,
});

/** Describes a field with the handle of a live resource of this kind. */
export const handle = (
  kind: ResourceKindName,
  usage?: UsageName,
  more?: Pick<Field, 'reads' | 'changes' | 'isCreated'>,
): Field<'u32'> => ({ wire: 'u32', kinds: [ResourceKind[kind]], ...(usage && { usage }), ...more });

/** Describes a field with the handle of a buffer from which the command copies this range. */
export const copiedBuffer = (reads: BufferRange): Field<'u32'> => handle('buffer', 'copySource', { reads });

/** Describes a field with the handle of a buffer in which the command changes this range. */
export const changedBuffer = (usage: keyof typeof BufferUsage, changes: BufferRange): Field<'u32'> =>
  handle('buffer', usage, { changes });

/** Describes a field with the handle of a resource that this command creates. */
export const created = (kind: ResourceKindName): Field<'u32'> => handle(kind, undefined, { isCreated: true });

/** Describes a field with the handle of a live resource of one of these kinds. Default: all kinds. */
export const anyHandle = (...kinds: readonly ResourceKindName[]): Field<'u32'> => ({
  wire: 'u32',
  kinds: kinds.length > 0 ? kinds.map((kind) => ResourceKind[kind]) : Object.values(ResourceKind),
});

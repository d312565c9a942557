/**
 * The language of the table of commands (`commands.ts`): what each field of a record is, beyond how it is encoded. All
 * that knows commands generically derives from these annotations: see `command-info.ts`.
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

/** What a word may be. */
export interface WordRule {
  /** For offsets and lengths in bytes. */
  readonly multipleOf?: number;
  /** The largest value. */
  readonly most?: number;
}

/** Where a command changes or reads a buffer: names of fields that hold an offset and a length in bytes. */
export interface BufferRange {
  readonly from?: string;
  readonly length?: string;
}

export interface Field<Wire extends FieldType = FieldType> {
  /** How it is encoded. */
  readonly wire: Wire;
  /** It is a handle of one of these kinds. */
  readonly kinds?: readonly ResourceKind[];
  /** The command creates the resource that the handle names. */
  readonly isCreated?: true;
  /** The resource must have been created with it. */
  readonly usage?: UsageName;
  /** The command changes the contents of this buffer at its place in the list; else it reads them at most. */
  readonly changes?: BufferRange;
  /** Which part of this buffer it reads, where its fields say it. */
  readonly reads?: BufferRange;
  readonly rule?: WordRule;
  /** It is a fence's: whole, from 0 below 2^64 − 1. */
  readonly isFenceValue?: true;
  /** Table for the members of an object. */
  readonly shape?: DescribedKind;
  /** It is encoded once per object, and counts as immutable: give another object to say something else. */
  readonly isKept?: true;
  /** What travels beside the stream. */
  readonly brings?: 'ArrayBuffer' | 'ImageBitmap';
  /** Taken where a call leaves the argument out. */
  readonly default?: unknown;
}

export type CommandFields = Readonly<Record<string, Field>>;

/** A whole number from 0 to 2³² − 1. */
export const word = (rule?: WordRule): Field<'u32'> => ({ wire: 'u32', ...(rule && { rule }) });
export const signed = (): Field<'i32'> => ({ wire: 'i32' });
export const float = (): Field<'f32'> => ({ wire: 'f32' });
export const double = (): Field<'f64'> => ({ wire: 'f64' });
/** What a fence gets, or is waited for. */
export const fenceValue = (): Field<'u64'> => ({ wire: 'u64', isFenceValue: true });
export const text = (): Field<'string'> => ({ wire: 'string' });
export const bytes = (): Field<'bytes'> => ({ wire: 'bytes' });
export const words = (): Field<'u32[]'> => ({ wire: 'u32[]' });
export const json = (shape: DescribedKind): Field<'json'> => ({ wire: 'json', shape });
export const beside = (brings: 'ArrayBuffer' | 'ImageBitmap'): Field<'attachment'> => ({
  wire: 'attachment',
  brings,
});

/** The handle of a live resource of this kind. */
export const handle = (
  kind: ResourceKindName,
  usage?: UsageName,
  more?: Pick<Field, 'reads' | 'changes' | 'isCreated'>,
): Field<'u32'> => ({ wire: 'u32', kinds: [ResourceKind[kind]], ...(usage && { usage }), ...more });

/** The handle of a buffer from which the command copies, at this place. */
export const copiedBuffer = (reads: BufferRange): Field<'u32'> => handle('buffer', 'copySource', { reads });

/** The handle of a buffer whose contents the command changes, at this place. */
export const changedBuffer = (usage: keyof typeof BufferUsage, changes: BufferRange): Field<'u32'> =>
  handle('buffer', usage, { changes });

/** The handle of a resource that begins with this command. */
export const created = (kind: ResourceKindName): Field<'u32'> => handle(kind, undefined, { isCreated: true });

/** The handle of a live resource of one of these kinds; without any, of whatever kind. */
export const anyHandle = (...kinds: readonly ResourceKindName[]): Field<'u32'> => ({
  wire: 'u32',
  kinds: kinds.length > 0 ? kinds.map((kind) => ResourceKind[kind]) : Object.values(ResourceKind),
});

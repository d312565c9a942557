/**
 * A record is the unit of a page stream: a header and fields, in 32-bit words.
 *
 *   word 0   bits 0–7 opcode · bit 8 set if the record names an attachment · bits 9–31 length in words, with the header
 *   word 1…  the fields, in the order of the table
 *
 * A *record table* declares the records of one stream. Types, generic encoding and decoding, traces and histograms
 * derive from it. Hot encoders and decoders are written by hand and tested against it.
 *
 * Field types: `u32`, `i32` and `f32` take one word, `f64` and `u64` two (low word first). `attachment` is one word,
 * the attachment's number. `u32[]` and `f32[]` are a count and that many words, `f64[]` a count and twice as many.
 * `bytes` and `string` (UTF-8) are a length in bytes and the bytes, padded with zeros to a whole word. `json` is a
 * string.
 */
export type FieldType =
  | 'u32'
  | 'i32'
  | 'f32'
  | 'f64'
  | 'u64'
  | 'attachment'
  | 'u32[]'
  | 'f32[]'
  | 'f64[]'
  | 'bytes'
  | 'string'
  | 'json';

/** Fields by name, in wire order. */
export type RecordFields = Readonly<Record<string, FieldType>>;

/** The JavaScript value of a field of type `F`. */
export type FieldValue<F extends FieldType> = F extends 'u32[]'
  ? ArrayLike<number>
  : F extends 'f32[]' | 'f64[]'
    ? ArrayLike<number>
    : F extends 'bytes'
      ? Uint8Array
      : F extends 'string'
        ? string
        : F extends 'json'
          ? unknown
          : F extends 'u64'
            ? number | bigint
            : number;

/** The values of a record, by field name. */
export type RecordValues<F extends RecordFields> = { readonly [K in keyof F]: FieldValue<F[K]> };

export interface RecordTable<T extends Readonly<Record<string, RecordFields>>> {
  /** The stream's name, for messages. */
  readonly name: string;
  /** Opcode by record name: 1, 2, 3 … in the table's order (0 is never valid). */
  readonly opcodes: { readonly [K in keyof T]: number };
  /** Record name by opcode. */
  readonly names: readonly (keyof T & string)[];
  readonly fields: T;
}

export const HEADER_ATTACHMENT_BIT = 0x100;
export const HEADER_LENGTH_SHIFT = 9;
/**
 * Returns the index behind the record whose header is at `at`. All readers of records decide here whether a
 * record is whole. A whole record has at least its header, ends within the words, and has an opcode of the
 * table. Called per record.
 * @param used end of the words that may hold records
 * @param opcodes length of the table's `names`
 * @returns 0 for a header that no writer writes
 */
export function wholeRecordEnd(words: Uint32Array, at: number, used: number, opcodes: number): number {
  const header = words[at] as number;
  const opcode = header & 0xff;
  const end = at + (header >>> HEADER_LENGTH_SHIFT);
  return end > at && end <= used && opcode !== 0 && opcode < opcodes ? end : 0;
}

/** Longest record, in words (32 MiB). Larger data is sent as an attachment. */
export const MAXIMUM_RECORD_WORDS = 0x7fffff;

/** Declares the records of a stream. The order of the entries fixes their opcodes. */
export function defineRecordTable<const T extends Readonly<Record<string, RecordFields>>>(
  name: string,
  fields: T,
): RecordTable<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const opcodes = Object.fromEntries(names.map((key, index) => [key, index + 1])) as {
    [K in keyof T]: number;
  };
  return { name, opcodes, names: ['' as keyof T & string, ...names], fields };
}

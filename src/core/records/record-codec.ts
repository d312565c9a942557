/**
 * Encodes and decodes any record from its table alone. It is slow but simple, and serves rare commands, traces and
 * tests. Hot records have encoders of their own, which a test compares with this one.
 *
 *   { name: 'abc', count: 2 }  ──►  | header | 3 | 'a' 'b' 'c' 0 | 2 |
 *
 * If a record names an attachment, the attachment's number must be the first field, where the reader expects it.
 */
import { StreamError } from '../errors.js';
import type { StreamReader, StreamWriter } from '../streams/stream.js';
import type { FieldType, RecordFields, RecordTable, RecordValues } from './record-table.js';
import { readDouble, readLong, writeDouble, writeLong } from './wide-words.js';

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

/** Encodable form of a field's value: bytes for text and JSON, the value itself for all others. */
type Prepared = number | bigint | ArrayLike<number>;

/** Writes one record. Attachments must be attached already. @returns index of the record's first field */
export function encodeRecord<T extends Readonly<Record<string, RecordFields>>, K extends keyof T & string>(
  writer: StreamWriter,
  table: RecordTable<T>,
  name: K,
  values: RecordValues<T[K]>,
): number {
  const types = Object.values(table.fields[name]);
  const prepared = Object.keys(table.fields[name]).map((key, index) =>
    prepare(types[index], (values as Record<string, unknown>)[key]),
  );
  let fieldWords = 0;
  for (let index = 0; index < types.length; index++) fieldWords += wordsOf(types[index], prepared[index]);
  const opcode = table.opcodes[name];
  const first =
    types[0] === 'attachment'
      ? writer.reserveWithAttachment(opcode, fieldWords)
      : writer.reserve(opcode, fieldWords);
  let at = first;
  for (let index = 0; index < types.length; index++) {
    writeField(writer, at, types[index], prepared[index]);
    at += wordsOf(types[index], prepared[index]);
  }
  return first;
}

/** A record with its name: a union over the table, so `switch (record.name)` narrows the values. */
export type DecodedRecord<T extends Readonly<Record<string, RecordFields>>> = {
  [K in keyof T & string]: { readonly name: K; readonly values: RecordValues<T[K]> };
}[keyof T & string];

/**
 * Reads the current record. The result is a copy, which stays valid after `next`.
 * @throws StreamError `stream-corrupt` if the record does not match its table
 */
export function decodeRecord<T extends Readonly<Record<string, RecordFields>>>(
  table: RecordTable<T>,
  reader: Pick<StreamReader, 'words' | 'ints' | 'floats' | 'opcode' | 'fields' | 'fieldWords'>,
): DecodedRecord<T> {
  const name = table.names[reader.opcode];
  const values: Record<string, unknown> = {};
  const end = reader.fields + reader.fieldWords;
  let at = reader.fields;
  for (const [key, type] of Object.entries(table.fields[name])) {
    const size = isVariable(type) && at < end ? 1 + payloadWords(type, reader.words[at]) : fixedWords(type);
    if (at + size > end) fail(table.name, name, key);
    try {
      values[key] = readField(reader, at, type);
    } catch (cause) {
      failAsJson(table.name, name, key, cause);
    }
    at += size;
  }
  if (at !== end) fail(table.name, name, 'end');
  return { name, values } as DecodedRecord<T>;
}

function fail(table: string, record: string, field: string): never {
  throw new StreamError(
    'stream-corrupt',
    `A record "${record}" of the stream "${table}" does not have the length that its fields need (at "${field}"). Check that writer and reader use the same record table.`,
  );
}

function failAsJson(table: string, record: string, field: string, cause: unknown): never {
  throw new StreamError(
    'stream-corrupt',
    `A record "${record}" of the stream "${table}" has invalid JSON (at "${field}"). Check that writer and reader use the same record table.`,
    { cause },
  );
}

/** Returns whether the field has variable length: a length word, then the data. */
export function isVariable(type: FieldType): boolean {
  return (
    type === 'u32[]' ||
    type === 'f32[]' ||
    type === 'f64[]' ||
    type === 'bytes' ||
    type === 'string' ||
    type === 'json'
  );
}

/** Returns the number of words of a field of fixed length, or 1, for the length word, if the length varies. */
export function fixedWords(type: FieldType): number {
  return type === 'f64' || type === 'u64' ? 2 : 1;
}

/** Returns the number of words after the length word. */
function payloadWords(type: FieldType, length: number): number {
  if (type === 'f64[]') return length * 2;
  return type === 'u32[]' || type === 'f32[]' ? length : Math.ceil(length / 4);
}

function wordsOf(type: FieldType, value: Prepared): number {
  return isVariable(type) ? 1 + payloadWords(type, (value as ArrayLike<number>).length) : fixedWords(type);
}

function prepare(type: FieldType, value: unknown): Prepared {
  if (type === 'string') return textEncoder.encode(value as string);
  // JSON has no undefined, so encode it as null.
  if (type === 'json') return textEncoder.encode(JSON.stringify(value) ?? 'null');
  return value as Prepared;
}

function writeField(writer: StreamWriter, at: number, type: FieldType, value: Prepared): void {
  const { words, floats } = writer;
  switch (type) {
    case 'f32':
      floats[at] = value as number;
      return;
    case 'f64':
      writeDouble(words, at, value as number);
      return;
    case 'u64':
      writeLong(words, at, value as number | bigint);
      return;
    case 'u32[]':
    case 'f32[]': {
      const items = value as ArrayLike<number>;
      words[at] = items.length;
      const target = type === 'u32[]' ? words : floats;
      target.set(items, at + 1);
      return;
    }
    case 'f64[]': {
      const items = value as ArrayLike<number>;
      words[at] = items.length;
      for (let index = 0; index < items.length; index++) writeDouble(words, at + 1 + index * 2, items[index]);
      return;
    }
    case 'bytes':
    case 'string':
    case 'json':
      writeBytes(words, at, value as ArrayLike<number>);
      return;
    default:
      words[at] = value as number;
  }
}

function readField(
  reader: Pick<StreamReader, 'words' | 'ints' | 'floats'>,
  at: number,
  type: FieldType,
): unknown {
  const { words, ints, floats } = reader;
  switch (type) {
    case 'i32':
      return ints[at];
    case 'f32':
      return floats[at];
    case 'f64':
      return readDouble(words, at);
    case 'u64':
      return readLong(words, at);
    case 'u32[]':
      return words.slice(at + 1, at + 1 + words[at]);
    case 'f32[]':
      return floats.slice(at + 1, at + 1 + words[at]);
    case 'f64[]':
      return Float64Array.from({ length: words[at] }, (_, index) => readDouble(words, at + 1 + index * 2));
    case 'bytes':
      return readBytes(words, at);
    case 'string':
      return textDecoder.decode(readBytes(words, at));
    case 'json':
      return JSON.parse(textDecoder.decode(readBytes(words, at)));
    default:
      return words[at];
  }
}

/** Writes a `bytes` field: the length, then the bytes, padded with zeros to a whole word. */
export function writeBytes(words: Uint32Array, at: number, bytes: ArrayLike<number>): void {
  words[at] = bytes.length;
  // Clear the last word first; the bytes then overwrite all of it except the padding.
  if (bytes.length > 0) words[at + Math.ceil(bytes.length / 4)] = 0;
  new Uint8Array(words.buffer, words.byteOffset + (at + 1) * 4, bytes.length).set(bytes);
}

/** Copies a `bytes` field out of the page, because decoders refuse views of shared memory. */
function readBytes(words: Uint32Array, at: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new Uint8Array(words.buffer, words.byteOffset + (at + 1) * 4, words[at]));
}

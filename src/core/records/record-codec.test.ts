import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../streams/page-stream.js';
import { decodeRecord, encodeRecord } from './record-codec.js';
import { defineRecordTable } from './record-table.js';

const table = defineRecordTable('codec', {
  empty: {},
  numbers: { unsigned: 'u32', signed: 'i32', single: 'f32', double: 'f64' },
  arrays: { unsigneds: 'u32[]', singles: 'f32[]', doubles: 'f64[]', tail: 'u32' },
  texts: { raw: 'bytes', text: 'string', structure: 'json', tail: 'i32' },
  attached: { data: 'attachment', label: 'string' },
});

function roundTrip(name: keyof typeof table.fields, values: object) {
  const { writer, reader } = createLocalStream({ table, schedule: () => {} });
  if (name === 'attached') writer.attach(new ArrayBuffer(4));
  encodeRecord(writer, table, name, values as never);
  writer.publish();
  expect(reader.next()).toBe(true);
  const record = decodeRecord(table, reader);
  expect(reader.next()).toBe(false);
  return record;
}

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const i32 = fc.integer({ min: -0x80000000, max: 0x7fffffff });
const f32 = fc.float({ noNaN: true });

describe('record codec', () => {
  it('lays fields out word by word', () => {
    const { writer, reader } = createLocalStream({ table, schedule: () => {} });
    const first = encodeRecord(writer, table, 'texts', {
      raw: new Uint8Array([1, 2, 3, 4, 5]),
      text: 'é',
      structure: [1],
      tail: -1,
    });
    expect(first).toBe(1);
    writer.publish();
    reader.next();
    const header = table.opcodes.texts | (9 << 9);
    expect([...reader.words.subarray(0, 9)]).toEqual([
      header,
      5,
      0x04030201,
      0x00000005,
      2,
      0x0000a9c3,
      3,
      0x005d315b,
      0xffffffff,
    ]);
  });

  it('writes the padding of a re-used page as zeros', () => {
    const { writer, reader } = createLocalStream({ table, schedule: () => {} });
    const at = writer.reserve(table.opcodes.empty, 7);
    writer.words.fill(0xffffffff, at, at + 7);
    writer.publish();
    reader.next();
    reader.next();
    encodeRecord(writer, table, 'texts', { raw: new Uint8Array([1]), text: '', structure: null, tail: 0 });
    expect([...writer.words.subarray(1, 3)]).toEqual([1, 1]);
  });

  it('decodes what it encodes, for every type of field', () => {
    fc.assert(
      fc.property(u32, i32, f32, fc.double(), (unsigned, signed, single, double) => {
        const values = { unsigned, signed, single, double };
        expect(roundTrip('numbers', values)).toEqual({ name: 'numbers', values });
      }),
    );
    fc.assert(
      fc.property(
        fc.array(u32),
        fc.array(f32),
        fc.array(fc.double()),
        u32,
        (unsigneds, singles, doubles, tail) => {
          expect(roundTrip('arrays', { unsigneds, singles, doubles, tail }).values).toEqual({
            unsigneds: new Uint32Array(unsigneds),
            singles: new Float32Array(singles),
            doubles: new Float64Array(doubles),
            tail,
          });
        },
      ),
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ unit: 'grapheme' }),
        fc.jsonValue(),
        i32,
        (raw, text, structure, tail) => {
          const values = { raw, text, structure: JSON.parse(JSON.stringify(structure)), tail };
          expect(roundTrip('texts', values)).toEqual({ name: 'texts', values });
        },
      ),
      { numRuns: 50 },
    );
    expect(roundTrip('empty', {})).toEqual({ name: 'empty', values: {} });
    expect(roundTrip('attached', { data: 0, label: 'x' })).toEqual({
      name: 'attached',
      values: { data: 0, label: 'x' },
    });
  });

  it('rejects a record with invalid JSON', () => {
    const jsonTable = defineRecordTable('json', { described: { descriptor: 'json' } });
    const { writer, reader } = createLocalStream({ table: jsonTable });
    const at = writer.reserve(jsonTable.opcodes.described, 2);
    writer.words.set([4, 0x7b7b7b7b], at);
    writer.publish();
    reader.next();
    expect(() => decodeRecord(jsonTable, reader)).toThrow(
      expect.objectContaining({ code: 'stream-corrupt', message: expect.stringContaining('"descriptor"') }),
    );
  });

  it('rejects a record whose length does not match its fields', () => {
    const { writer, reader } = createLocalStream({ table, schedule: () => {} });
    writer.reserve(table.opcodes.numbers, 4);
    const at = writer.reserve(table.opcodes.arrays, 3);
    writer.words.fill(0, at, at + 3);
    writer.words[at] = 9;
    writer.publish();
    reader.next();
    expect(() => decodeRecord(table, reader)).toThrow(expect.objectContaining({ code: 'stream-corrupt' }));
    reader.next();
    expect(() => decodeRecord(table, reader)).toThrow(expect.objectContaining({ code: 'stream-corrupt' }));
  });
});

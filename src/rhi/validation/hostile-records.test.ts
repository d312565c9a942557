/** Records that no recorder writes are reported or passed on. They never cause an untyped exception. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RhiError } from '../../core/errors.js';
import type { FieldType } from '../../core/records/record-table.js';
import { leastFieldWords } from '../commands/command-info.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import { ValidationBench } from './validation.test-support.js';

describe('record lengths', () => {
  it.each(Object.entries(rhiCommands.fields))(
    '%s: leastFieldWords counts one word per field, and two for f64 and u64',
    (name, fields) => {
      const types = Object.values(fields) as FieldType[];
      const words = types.reduce((sum, type) => sum + (type === 'f64' || type === 'u64' ? 2 : 1), 0);
      expect(leastFieldWords[RhiOpcode[name as keyof typeof RhiOpcode]]).toBe(words);
    },
  );
});

describe('hostile records', () => {
  const names = rhiCommands.names.slice(1);
  // The test does not use commands with attachments, because the reader would wait for attachments that never arrive.
  const plain = names.filter(
    (name) => !Object.values(rhiCommands.fields[name]).includes('attachment' as never),
  );
  const word = fc.oneof(fc.nat(40), fc.nat(), fc.constantFrom(0x4001, 0x4002, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  const record = fc.tuple(fc.constantFrom(...plain), fc.array(word, { maxLength: 12 }));

  it('cause typed errors only, and are read to the end', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), (records) => {
        const bench = new ValidationBench();
        bench.scene();
        for (const [name, words] of records) {
          const at = bench.writer.reserve(RhiOpcode[name], words.length);
          bench.writer.words.set(words, at);
        }
        bench.rhi.publish();
        while (bench.reader.next()) {
          if (bench.reader.opcode === 0) throw new Error('no record');
        }
        for (const error of bench.errors) expect(error).toBeInstanceOf(RhiError);
      }),
      { numRuns: 300 },
    );
  });

  it('cause typed errors only, with any JSON in place of their descriptor', () => {
    const creates = names.filter((name) => Object.values(rhiCommands.fields[name]).includes('json' as never));
    const encoder = new TextEncoder();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...creates), fc.json()), { maxLength: 20 }),
        (records) => {
          const bench = new ValidationBench();
          bench.scene();
          const errorsBefore = bench.errors.length;
          for (const [name, json] of records) {
            const leading = Object.values(rhiCommands.fields[name]).indexOf('json' as never);
            const bytes = encoder.encode(json);
            const data = Object.values(rhiCommands.fields[name]).length > leading + 1 ? 1 : 0;
            const length = leading + 1 + Math.ceil(bytes.length / 4) + data;
            const at = bench.writer.reserve(RhiOpcode[name], length);
            const { words } = bench.writer;
            words.fill(0, at, at + length);
            for (let i = 0; i < leading; i++) words[at + i] = 0x40001 + i;
            words[at + leading] = bytes.length;
            new Uint8Array(words.buffer, words.byteOffset + (at + leading + 1) * 4, bytes.length).set(bytes);
          }
          bench.rhi.publish();
          while (bench.reader.next());
          expect(bench.errors.length).toBeGreaterThanOrEqual(errorsBefore);
          for (const error of bench.errors) expect(error).toBeInstanceOf(RhiError);
        },
      ),
      { numRuns: 200 },
    );
  });
});

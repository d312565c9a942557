import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RhiError } from '../../core/errors.js';
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import { encodeText, stringAt } from '../commands/record-fields.js';
import { exerciseCapture, makeTestCapture, mutateCapture } from './capture.test-support.js';
import {
  CAPTURE_VERSION,
  encodeCapture,
  HEADER_WORDS,
  SECTION_WORDS,
  SectionKind,
  sealCapture,
} from './capture-file.js';
import { CaptureListing } from './capture-listing.js';
import { decodeCapture } from './decode-capture.js';

const file = await makeTestCapture();
const copy = (): ArrayBuffer => file.slice(0);

/** The code of what decoding throws; null when it throws nothing. Anything untyped fails the test. */
function codeOf(bytes: ArrayBuffer): string | null {
  try {
    decodeCapture(bytes);
    return null;
  } catch (error) {
    if (error instanceof RhiError) return error.code;
    throw error;
  }
}

/** Byte offset and length of a section. */
function section(bytes: ArrayBuffer, kind: number): { readonly at: number; readonly length: number } {
  const words = new Uint32Array(bytes);
  for (let row = 0; row < words[4]!; row++) {
    const at = HEADER_WORDS + row * SECTION_WORDS;
    if (words[at] === kind) return { at: words[at + 1]!, length: words[at + 2]! };
  }
  throw new Error(`no section ${kind}`);
}

/** Records in whose last field, a text, something else stands. */
function replaceText(words: Uint32Array, from: string, to: string): Uint32Array {
  const records: number[] = [];
  for (let at = 0; at < words.length; ) {
    const end = at + (words[at]! >>> HEADER_LENGTH_SHIFT);
    const record = words.slice(at, end);
    at = end;
    const name = rhiCommands.names[record[0]! & 0xff]!;
    const field = 1 + Object.values(rhiCommands.fields[name]).indexOf('json' as never);
    const text = field > 0 ? stringAt(record, 1, field - 1) : '';
    if (!text.includes(from)) {
      records.push(...record);
      continue;
    }
    const bytes = encodeText(text.replace(from, to));
    const changed = new Uint32Array(field + 1 + Math.ceil(bytes.length / 4));
    changed.set(record.subarray(0, field));
    changed[0] = (record[0]! & 0x1ff) | (changed.length << HEADER_LENGTH_SHIFT);
    changed[field] = bytes.length;
    new Uint8Array(changed.buffer, (field + 1) * 4, bytes.length).set(bytes);
    records.push(...changed);
  }
  return Uint32Array.from(records);
}

describe('the file of a capture', () => {
  it('H1: gives back what was put in, and the same bytes again', () => {
    const capture = decodeCapture(file);
    expect(capture.capabilities.backend).toBe('null');
    expect(capture.contents.map(({ bytes }) => bytes.length)).toEqual([24, 192, 48]);
    expect(capture.contents[1]?.bytes[0]).toBe(50);
    expect(capture.attachments.map(({ number, kind, bytes }) => [number, kind, bytes.length])).toEqual([
      [0, 0, 12],
      [1, 1, 0],
    ]);
    expect([...(capture.attachments[0]?.bytes ?? [])]).toEqual([5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0]);
    expect(capture.renderCommands?.names).toEqual(['', 'beginFrame', 'endFrame']);
    expect(new Uint8Array(encodeCapture(capture))).toEqual(new Uint8Array(file));
  });

  it('lies as documented, word by word', () => {
    const words = new Uint32Array(file);
    expect(new TextDecoder().decode(new Uint8Array(file, 0, 4))).toBe('FPRC');
    expect([words[1], words[3], words[4]]).toEqual([CAPTURE_VERSION, file.byteLength, 9]);
    let expected = (HEADER_WORDS + 9 * SECTION_WORDS) * 4;
    for (let kind = 1; kind <= 9; kind++) {
      const { at, length } = section(file, kind);
      expect(at).toBe(expected);
      expected += length;
    }
    expect(expected).toBe(file.byteLength);
    // 24 bytes, 192 bytes and 48 bytes, one behind the other.
    const rows = section(file, SectionKind.contentRows);
    expect([...words.slice(rows.at / 4, rows.at / 4 + 12)].filter((_, index) => index % 4 > 0)).toEqual([
      0, 0, 24, 0, 24, 192, 1, 216, 48,
    ]);
  });

  it('says what it is not, and whose version it is', () => {
    expect(codeOf(new TextEncoder().encode('<!doctype html><title>404</title>').buffer as ArrayBuffer)).toBe(
      'capture-format',
    );
    expect(codeOf(new ArrayBuffer(0))).toBe('capture-truncated');
    for (const word of [1, 2]) {
      const other = copy();
      new Uint32Array(other)[word]! += 1;
      expect(codeOf(other)).toBe('capture-version');
    }
  });

  it('is read from shared memory, and refused where its memory was transferred away', async () => {
    const file = await makeTestCapture();
    const shared = new SharedArrayBuffer(file.byteLength);
    new Uint8Array(shared).set(new Uint8Array(file));
    const { stream, capabilities } = decodeCapture(shared as unknown as ArrayBuffer);
    expect([stream, capabilities]).toEqual([decodeCapture(file).stream, decodeCapture(file).capabilities]);
    expect(stream.buffer).toBeInstanceOf(ArrayBuffer);
    structuredClone(file, { transfer: [file] });
    expect(() => decodeCapture(file)).toThrow(expect.objectContaining({ code: 'capture-truncated' }));
  });

  it('is refused when it is cut off, wherever', () => {
    fc.assert(
      fc.property(fc.nat(file.byteLength - 1), (length) => {
        expect(codeOf(file.slice(0, length))).toBe('capture-truncated');
      }),
    );
  });

  it('is refused when one bit is turned, wherever', () => {
    fc.assert(
      fc.property(fc.nat(file.byteLength - 1), fc.nat(7), (byte, bit) => {
        const changed = copy();
        new Uint8Array(changed)[byte]! ^= 1 << bit;
        expect(codeOf(changed)).toMatch(/^capture-(format|version|truncated|corrupt)$/);
      }),
    );
  });

  it('is refused when bytes are inserted, wherever', () => {
    fc.assert(
      fc.property(fc.nat(file.byteLength), fc.uint8Array({ minLength: 1, maxLength: 64 }), (at, bytes) => {
        const changed = new Uint8Array(file.byteLength + bytes.length);
        changed.set(new Uint8Array(file, 0, at));
        changed.set(bytes, at);
        changed.set(new Uint8Array(file, at), at + bytes.length);
        expect(codeOf(changed.buffer)).toMatch(/^capture-/);
      }),
    );
  });
});

describe('a forged capture, whose checksums are right', () => {
  const word = fc.oneof(
    fc.integer({ min: 0, max: 0xffffffff }),
    fc.constantFrom(0, 1, 0x200, 0x3ff, 0xffffffff, 0x7fffffff, 0x80000000),
    fc.nat(512),
  );

  it('is decoded or refused with a typed error; what is decoded can be listed and executed', async () => {
    const words = file.byteLength / 4;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(words - 1), word), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const changed = copy();
          const view = new Uint32Array(changed);
          for (const [at, value] of changes) view[at] = value;
          sealCapture(changed);
          const code = codeOf(changed);
          if (code !== null) {
            expect(code).toMatch(/^capture-/);
            return;
          }
          const capture = decodeCapture(changed);
          const { frames } = new CaptureListing(capture);
          expect(frames.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a record that is longer than its fields', SectionKind.stream, 0, (4 << 9) | RhiOpcode.beginFrame],
    ['a record of no length', SectionKind.stream, 0, RhiOpcode.beginFrame],
    ['an opcode that no command has', SectionKind.stream, 0, (3 << 9) | 250],
    ['frames that begin with another record', SectionKind.stream, 0, (3 << 9) | RhiOpcode.clearBuffer],
    ['creations that draw', SectionKind.creations, 0, (5 << 9) | RhiOpcode.draw],
    ['a handle of another kind', SectionKind.creations, 1, 2],
    ['JSON of 4 GiB', SectionKind.creations, 2, 0xffffffff],
    ['contents of a resource that is not there', SectionKind.contentRows, 0, 0x40001],
    ['contents beyond the bytes', SectionKind.contentRows, 3, 0xfffffff0],
    ['contents that overlap', SectionKind.contentRows, 6, 4],
    ['a mip level that the texture has not', SectionKind.contentRows, 9, 2],
    ['an attachment that no record names as its own', SectionKind.attachmentRows, 0, 9],
    ['an attachment of no kind', SectionKind.attachmentRows, 1, 2],
    ['render commands of no opcode', SectionKind.renderStream, 0, (2 << 9) | 200],
  ])('%s is corrupt', (_what, kind, index, value) => {
    const changed = copy();
    const { at } = section(changed, kind);
    new Uint32Array(changed)[at / 4 + index] = value;
    sealCapture(changed);
    expect(codeOf(changed)).toBe('capture-corrupt');
  });

  it('is listed, replayed and stepped through with typed errors only, and comes to an end', async () => {
    // A fixed sequence: what fails once fails again.
    let seed = 1;
    const random = (n: number): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * n);
    };
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 400; round++) {
      const [outcome = 'sound'] = await exerciseCapture(mutateCapture(file, random));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect(outcomes.has('hang')).toBe(false);
    // Both roads were taken: refused at once, and executed with errors or without.
    expect(outcomes.get('capture-corrupt')).toBeGreaterThan(50);
    expect(outcomes.get('sound')).toBeGreaterThan(50);
    expect(outcomes.size).toBeGreaterThan(4);
  });

  it.each([
    ['a size that can’t be a number', '"width":6', '"width":{"toString":null}', 'capture-corrupt'],
    [
      'a length that can’t be a number',
      '"byteLength":24',
      '"byteLength":{"toString":null}',
      'capture-corrupt',
    ],
    ['a usage that can’t be a number', '"usage":32', '"usage":{"toString":null}', 'capture-corrupt'],
    ['no usage', '"usage":32', '"used":32', 'capture-corrupt'],
    ['a pass whose label can’t be text', '"label":"main"', '"label":{"toString":null}', undefined],
  ])('%s is refused, or passed over', async (_what, from, to, code) => {
    const capture = decodeCapture(file);
    const forged = encodeCapture({
      ...capture,
      creations: replaceText(capture.creations, from, to),
      stream: replaceText(capture.stream, from, to),
    });
    expect((await exerciseCapture(forged))[0]).toBe(code);
  });

  it('is sound when nothing was changed', async () => {
    expect(await exerciseCapture(file)).toEqual([]);
  });
});

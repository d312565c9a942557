import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RhiError } from '../../core/errors.js';
import { encodeText, stringAt } from '../../core/records/record-fields.js';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import { exerciseCapture, makeTestCapture, mutateCapture, sealCapture } from './capture.test-support.js';
import { CAPTURE_VERSION, type Capture, encodeCapture, HEADER_WORDS } from './capture-file.js';
import { CaptureListing } from './capture-listing.js';
import { decodeCapture } from './decode-capture.js';

const file = await makeTestCapture();
const copy = (): ArrayBuffer => file.slice(0);

/** Returns the code of the error that decoding throws; null if it does not throw. An untyped error fails the test. */
function codeOf(bytes: ArrayBuffer): string | null {
  try {
    decodeCapture(bytes);
    return null;
  } catch (error) {
    if (error instanceof RhiError) return error.code;
    throw error;
  }
}

/** Returns the manifest, and the byte offset of the parts that follow it. */
function manifestOf(bytes: ArrayBuffer): { readonly text: string; readonly end: number } {
  const length = new Uint32Array(bytes)[4]!;
  const text = new TextDecoder().decode(new Uint8Array(bytes, HEADER_WORDS * 4, length));
  return { text, end: HEADER_WORDS * 4 + Math.ceil(length / 4) * 4 };
}

/** Returns the file with another manifest, and with matching lengths and checksum. */
function withManifest(bytes: ArrayBuffer, change: (text: string) => string): ArrayBuffer {
  const { text, end } = manifestOf(bytes);
  const manifest = encodeText(change(text));
  const rest = new Uint8Array(bytes, end);
  const changed = new Uint8Array(HEADER_WORDS * 4 + Math.ceil(manifest.length / 4) * 4 + rest.length);
  changed.set(new Uint8Array(bytes, 0, HEADER_WORDS * 4));
  changed.set(manifest, HEADER_WORDS * 4);
  changed.set(rest, changed.length - rest.length);
  new Uint32Array(changed.buffer).set([changed.length, manifest.length], 3);
  sealCapture(changed.buffer);
  return changed.buffer;
}

/** Returns the records with the first text `from` in each record's JSON field replaced by `to`. */
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
  it('H1: decodes to the encoded capture, which encodes to the same bytes again', () => {
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

  it('has the documented layout, part by part', () => {
    const words = new Uint32Array(file);
    expect(new TextDecoder().decode(new Uint8Array(file, 0, 4))).toBe('FPRC');
    expect([words[1], words[3]]).toEqual([CAPTURE_VERSION, file.byteLength]);
    const { text, end } = manifestOf(file);
    const { creations, stream, contents, attachments, renderCommands } = JSON.parse(text);
    expect(contents.map((row: number[]) => row.slice(1))).toEqual([
      [0, 24],
      [0, 192],
      [1, 48],
    ]);
    expect(attachments).toEqual([
      [0, 0, 12],
      [1, 1, 0],
    ]);
    expect(renderCommands).toEqual({ names: ['', 'beginFrame', 'endFrame'], byteLength: 12 });
    const capture = decodeCapture(file);
    expect(words.slice(end / 4, (end + creations) / 4)).toEqual(capture.creations);
    expect(words.slice((end + creations) / 4, (end + creations + stream) / 4)).toEqual(capture.stream);
    // Contents of 24, 192 and 48 bytes, an attachment of 12 bytes and the render commands follow each other.
    const [first, second] = [capture.contents[0]!.bytes, capture.contents[1]!.bytes];
    expect([first.byteOffset, second.byteOffset]).toEqual([0, 24].map((at) => end + creations + stream + at));
    expect(end + creations + stream + 24 + 192 + 48 + 12 + 12).toBe(file.byteLength);
  });

  it('is refused with a remedy if it has an older version', () => {
    const old = copy();
    new Uint32Array(old)[1] = 1;
    expect(() => decodeCapture(old)).toThrow(
      expect.objectContaining({
        code: 'capture-version',
        message: expect.stringContaining(
          '(format 1, this version reads 2). Open it with the version that made it.',
        ),
      }),
    );
  });

  it('is refused with a specific code if it is not a capture, or has another version', () => {
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

  it('is read from shared memory, and refused if its memory was transferred away', async () => {
    const file = await makeTestCapture();
    const shared = new SharedArrayBuffer(file.byteLength);
    new Uint8Array(shared).set(new Uint8Array(file));
    const { stream, capabilities } = decodeCapture(shared as unknown as ArrayBuffer);
    expect([stream, capabilities]).toEqual([decodeCapture(file).stream, decodeCapture(file).capabilities]);
    expect(stream.buffer).toBeInstanceOf(ArrayBuffer);
    structuredClone(file, { transfer: [file] });
    expect(() => decodeCapture(file)).toThrow(expect.objectContaining({ code: 'capture-truncated' }));
  });

  it('is refused if it is cut off at any byte', () => {
    fc.assert(
      fc.property(fc.nat(file.byteLength - 1), (length) => {
        expect(codeOf(file.slice(0, length))).toBe('capture-truncated');
      }),
    );
  });

  it('is refused if any one bit is flipped', () => {
    fc.assert(
      fc.property(fc.nat(file.byteLength - 1), fc.nat(7), (byte, bit) => {
        const changed = copy();
        new Uint8Array(changed)[byte]! ^= 1 << bit;
        expect(codeOf(changed)).toMatch(/^capture-(format|version|truncated|corrupt)$/);
      }),
    );
  });

  it('is refused if bytes are inserted anywhere', () => {
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

  it('is decoded or refused with a typed error; decoded captures can be listed', async () => {
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

  const first = (words: Uint32Array, index: number, value: number): Uint32Array => {
    const changed = words.slice();
    changed[index] = value;
    return changed;
  };

  it.each<readonly [string, 'stream' | 'creations', number, number]>([
    ['a record that is longer than its fields', 'stream', 0, (4 << 9) | RhiOpcode.beginFrame],
    ['a record without a length', 'stream', 0, RhiOpcode.beginFrame],
    ['an opcode that no command has', 'stream', 0, (3 << 9) | 250],
    ['frames that do not begin with beginFrame', 'stream', 0, (3 << 9) | RhiOpcode.clearBuffer],
    ['creations with a draw', 'creations', 0, (5 << 9) | RhiOpcode.draw],
    ['a handle of another kind', 'creations', 1, 2],
    ['JSON of 4 GiB', 'creations', 2, 0xffffffff],
  ])('is refused as corrupt with %s', (_what, part, index, value) => {
    const capture = decodeCapture(file);
    expect(codeOf(encodeCapture({ ...capture, [part]: first(capture[part], index, value) }))).toBe(
      'capture-corrupt',
    );
  });

  it.each<readonly [string, (capture: Capture) => Partial<Capture>]>([
    [
      'contents of a missing resource',
      ({ contents: [content] }) => ({ contents: [{ ...content!, handle: 0x40001 }] }),
    ],
    [
      'contents that are too long',
      ({ contents: [content] }) => ({ contents: [{ ...content!, bytes: new Uint8Array(28) }] }),
    ],
    ['contents listed twice', ({ contents: [content] }) => ({ contents: [content!, content!] })],
    [
      'a mip level that the texture does not have',
      ({ contents: [, , content] }) => ({ contents: [{ ...content!, mipLevel: 2 }] }),
    ],
    [
      'an attachment that no record uses',
      ({ attachments: [one, other] }) => ({ attachments: [{ ...one!, number: 9 }, other!] }),
    ],
    [
      'an attachment of an unknown kind',
      ({ attachments: [one, other] }) => ({ attachments: [{ ...one!, kind: 2 as never }, other!] }),
    ],
    [
      'render commands with an unknown opcode',
      ({ renderCommands }) => ({
        renderCommands: { ...renderCommands!, stream: first(renderCommands!.stream, 0, (2 << 9) | 200) },
      }),
    ],
  ])('is refused as corrupt with %s', (_what, change) => {
    const capture = decodeCapture(file);
    expect(codeOf(encodeCapture({ ...capture, ...change(capture) }))).toBe('capture-corrupt');
  });

  it.each([
    ['no manifest', /.*/s, ''],
    ['a manifest that is a list', /.*/s, '[]'],
    ['a part beyond the file', /"stream":\d+/, '"stream":4294967280'],
    ['a part of negative length', /"stream":\d+/, '"stream":-4'],
    ['a part whose length is text', /"stream":\d+/, '"stream":"8"'],
    ['a part that is missing', /,\[1,1,0\]/, ''],
    ['bytes after the last part', /"renderCommands":.*$/s, '"renderCommands":null}'],
    ['contents that are not lists', /"contents":\[.*?\]\]/, '"contents":{}'],
    ['contents without numbers', /"contents":\[\[\d+/, '"contents":[["x"'],
    ['no capabilities', /"capabilities":/, '"capability":'],
    ['notes that are not text', /"notes":\[/, '"notes":[1,'],
    ['render commands without names', /"names":\[/, '"name":['],
  ])('is refused as corrupt with %s', (_what, from, to) => {
    expect(codeOf(withManifest(file, (text) => text.replace(from, to)))).toBe('capture-corrupt');
    expect(codeOf(withManifest(file, (text) => text))).toBeNull();
  });

  it('can be listed, replayed and shown after a command of its first frame, with typed errors only', async () => {
    // The random numbers are a fixed sequence, so that failures can be repeated.
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
    // All outcomes occur: files are refused when decoded, replayed without errors, or replayed with errors.
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
  ])('with %s is refused or replayed', async (_what, from, to, code) => {
    const capture = decodeCapture(file);
    const forged = encodeCapture({
      ...capture,
      creations: replaceText(capture.creations, from, to),
      stream: replaceText(capture.stream, from, to),
    });
    expect((await exerciseCapture(forged))[0]).toBe(code);
  });

  it('raises no error if it is unchanged', async () => {
    expect(await exerciseCapture(file)).toEqual([]);
  });
});

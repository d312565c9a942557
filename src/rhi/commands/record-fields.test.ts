/** Tests that fields of variable length are read only within their record, even if the record is forged. */
import { describe, expect, it } from 'vitest';
import { bytesAt, encodeText, fieldWordsAt, jsonAt, stringAt } from '../../core/records/record-fields.js';
import { writeRecord } from '../../core/records/record-fields.test-support.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { RhiOpcode, rhiCommands } from './commands.js';
import { descriptorAt } from './resource-fields.js';

/** Writes a record `handle · "ab" · "cde"`, followed by a record with other text. */
function twoRecords() {
  const { writer } = createLocalStream({ table: rhiCommands });
  writeRecord(writer, RhiOpcode.createShaderModule, [7], [encodeText('ab'), encodeText('cde')]);
  writeRecord(writer, RhiOpcode.pushDebugGroup, [], [encodeText('secret')]);
  // | header | 7 | 2 | ab | 3 | cde |
  return { words: writer.words, fields: 1 };
}

const badRecord = expect.objectContaining({ code: 'bad-record' });

describe('fields of variable length', () => {
  it('are read one after the other', () => {
    const { words, fields } = twoRecords();
    expect(stringAt(words, fields, 1)).toBe('ab');
    expect(fieldWordsAt(words, fields + 1)).toBe(2);
    expect(stringAt(words, fields, 3)).toBe('cde');
    expect([...bytesAt(words, fields, 3)]).toEqual([...encodeText('cde')]);
  });

  it('are accepted up to the last byte of their record, and refused beyond it', () => {
    const { words, fields } = twoRecords();
    words[fields + 3] = 4;
    expect(stringAt(words, fields, 3)).toBe('cde\0');
    for (const byteLength of [5, 8, 28, 0x7fffffff, 0xfffffffc, 0xffffffff]) {
      words[fields + 3] = byteLength;
      expect(() => stringAt(words, fields, 3), String(byteLength)).toThrow(badRecord);
      expect(() => bytesAt(words, fields, 3), String(byteLength)).toThrow(badRecord);
      expect(() => jsonAt(words, fields, 3), String(byteLength)).toThrow(badRecord);
    }
  });

  it('are refused if their length word lies beyond the record, or beyond the page', () => {
    const { words, fields } = twoRecords();
    words[fields + 1] = 12;
    for (const field of [5, 6, 1 << 20, 2 ** 30]) {
      expect(() => bytesAt(words, fields, field), String(field)).toThrow(badRecord);
    }
  });
});

describe('descriptors of creations', () => {
  const descriptorOf = (json: string) => {
    const { writer } = createLocalStream({ table: rhiCommands });
    writeRecord(writer, RhiOpcode.createBuffer, [7], [encodeText(json)]);
    return descriptorAt<{ label: string; usage?: number }>(writer.words, 1);
  };

  it('have a string as label, also if the record has another value that converts to text', () => {
    expect(descriptorOf('{"label":"a","usage":3}')).toEqual({ label: 'a', usage: 3 });
    expect(descriptorOf('{"label":5}').label).toBe('5');
    expect(descriptorOf('{}').label).toBe('undefined');
  });

  it('are refused if they are not objects, or if their label cannot be converted to text', () => {
    for (const json of ['null', '"text"', '{"label":{"toString":null}}']) {
      expect(() => descriptorOf(json), json).toThrow(TypeError);
    }
  });
});

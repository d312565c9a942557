import { describe, expect, it } from 'vitest';
import { bufferWords } from '../mapping/buffer-effects.js';
import { commandInfo, isBundled, isDraw, leastFieldWords } from './command-info.js';
import { Scope } from './command-rows.js';
import { commandRows, RhiOpcode, rhiCommands } from './commands.js';
import { ResourceKind } from './handles.js';

const rowInfo = (name: keyof typeof RhiOpcode) => commandInfo[RhiOpcode[name]]!;

describe('H1 the table of commands', () => {
  it('fits eight bits of a header', () => {
    expect(rhiCommands.names.length).toBeLessThanOrEqual(256);
  });

  it('puts an attachment into the first field, where readers expect it', () => {
    for (const [name, { fields }] of Object.entries(commandRows)) {
      const attachments = Object.values(fields).map(({ wire }) => wire === 'attachment');
      expect(attachments.lastIndexOf(true), name).toBeLessThanOrEqual(0);
    }
  });

  it('refers only to existing fields in parameters and in changes', () => {
    for (const [name, row] of Object.entries(commandRows)) {
      const names = Object.keys(row.fields);
      const { parameters } = row as { readonly parameters?: readonly string[] };
      const given = Object.entries(row.fields).filter(([, field]) => !('isCreated' in field));
      const taken = given.map(([field]) => field).sort();
      if (parameters !== undefined) expect([...parameters].sort(), name).toEqual(taken);
      for (const { changes } of commandInfo[RhiOpcode[name as 'draw']]!.fields) {
        for (const field of Object.values(changes ?? {})) expect(names, name).toContain(field);
      }
    }
  });

  it('lists handles with their word indices and kinds, and the command’s effect on the resource', () => {
    expect(rowInfo('copyBufferToBuffer').handles).toEqual([
      {
        word: 0,
        field: 'source',
        kinds: [ResourceKind.buffer],
        isCreated: false,
        usage: 'copySource',
        changes: null,
        reads: { fromWord: 1, lengthWord: 4 },
      },
      {
        word: 2,
        field: 'target',
        kinds: [ResourceKind.buffer],
        isCreated: false,
        usage: 'copyTarget',
        changes: { fromWord: 3, lengthWord: 4 },
        reads: null,
      },
    ]);
    expect(rowInfo('createTexture').handles).toMatchObject([{ word: 0, isCreated: true }]);
    expect(rowInfo('transition').handles[0]?.kinds).toEqual([ResourceKind.buffer, ResourceKind.texture]);
  });

  it('lists words with their required divisors and their maximum', () => {
    expect(rowInfo('resolveQuerySet').boundedWords).toEqual([
      { word: 4, field: 'targetByteOffset', multipleOf: 256, most: 2 ** 32 - 1 },
    ]);
    expect(rowInfo('setQueue').boundedWords).toMatchObject([{ word: 0, most: 2 }]);
  });

  it('lists the scopes that allow a command', () => {
    expect(rowInfo('copyBufferToBuffer').scopes).toBe(Scope.outside);
    expect(rowInfo('setBindGroup').scopes).toBe(Scope.renderPass | Scope.computePass | Scope.bundle);
    expect(rowInfo('dispatch').scopes).toBe(Scope.computePass);
    expect(isBundled[RhiOpcode.setViewport]).toBe(0);
    expect(isBundled[RhiOpcode.pushDebugGroup]).toBe(1);
  });

  it('allows every draw in bundles', () => {
    const draws = rhiCommands.names.filter((name) => name.startsWith('draw'));
    expect(draws).toHaveLength(4);
    for (const name of draws) expect([isDraw[RhiOpcode[name]], isBundled[RhiOpcode[name]]]).toEqual([1, 1]);
  });

  it('gives the minimum number of words in the fields of a record', () => {
    expect(leastFieldWords[RhiOpcode.createFence]).toBe(4);
    expect(leastFieldWords[RhiOpcode.setBindGroup]).toBe(3);
    expect(leastFieldWords[RhiOpcode.endFrame]).toBe(1);
  });

  it('M7 tells the buffer ledger which words of a record hold the read buffer, the changed buffer and its range', () => {
    const { copyBufferToBuffer, writeBuffer, writeBufferFromAttachment, resolveQuerySet } = RhiOpcode;
    const { copyTextureToBuffer, setIndexBuffer, readBuffer, writeBufferUnordered } = RhiOpcode;
    const words = (opcode: number): readonly number[] => {
      const { read, changed, from, length } = bufferWords[opcode]!;
      return [read, changed, from, length];
    };
    expect(words(copyBufferToBuffer)).toEqual([0, 2, 3, 4]);
    expect(words(writeBuffer)).toEqual([-1, 0, 1, 2]);
    expect(words(writeBufferFromAttachment)).toEqual([-1, 1, 2, 4]);
    expect(words(resolveQuerySet)).toEqual([-1, 3, 4, -1]);
    expect(words(copyTextureToBuffer)).toEqual([-1, 1, -1, -1]);
    expect(words(setIndexBuffer)).toEqual([0, -1, -1, -1]);
    expect(words(readBuffer)).toEqual([1, -1, -1, -1]);
    expect(words(writeBufferUnordered)).toEqual([-1, -1, -1, -1]);
  });
});

/** Validation needs only a row of the table to check a new command, here `fillBuffer`. */
import { expect, it } from 'vitest';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import { infoOf } from '../commands/command-info.js';
import { commandRows, RhiOpcode } from '../commands/commands.js';
import { handle, word } from '../commands/fields.js';
import { makeHandle, ResourceKind } from '../commands/handles.js';
import { RecordCheck } from './record-check.js';

const fillBuffer = {
  scope: 'outside passes',
  queue: 'compute',
  fields: {
    buffer: handle('buffer', 'copyTarget'),
    byteOffset: word({ multipleOf: 16 }),
    pattern: word({ most: 3 }),
  },
} as const;
const OPCODE = Object.keys(RhiOpcode).length + 1;
const BUFFER = makeHandle(ResourceKind.buffer, 0, 0);

/** Returns the codes of the errors in the records `before` and in the `fillBuffer` record after them. */
function codesOf(fields: readonly number[], before: readonly (readonly number[])[] = []): string[] {
  const codes: string[] = [];
  const infoByOpcode = infoOf({ ...commandRows, fillBuffer });
  const check = new RecordCheck({ onError: ({ code }) => codes.push(code) }, infoByOpcode);
  check.state.models.add(BUFFER, 'buffer').usage = 0x28;
  for (const [opcode = 0, ...words] of [...before, [OPCODE, ...fields]]) {
    const record = Uint32Array.from([opcode | ((words.length + 1) << HEADER_LENGTH_SHIFT), ...words]);
    check.isFine({ opcode, words: record, fields: 1, fieldWords: words.length });
  }
  return codes;
}

it.each<[string, Parameters<typeof codesOf>, string[]]>([
  ['no fault in a valid record', [[BUFFER, 32, 3]], []],
  ['a record that is too short', [[BUFFER, 32]], ['bad-record']],
  [
    'a record in a pass',
    [
      [BUFFER, 0, 0],
      [[RhiOpcode.beginFrame, 1, 0], beginPass()],
    ],
    ['command-inside-pass'],
  ],
  ['a queue that can’t execute the command', [[BUFFER, 0, 0], [[RhiOpcode.setQueue, 2]]], ['queue-command']],
  ['a byte offset that is not a multiple of 16', [[BUFFER, 8, 0]], ['buffer-alignment']],
  ['a word beyond the maximum', [[BUFFER, 0, 4]], ['field-range']],
  ['a handle that was never created', [[makeHandle(ResourceKind.buffer, 0, 7), 0, 0]], ['never-created']],
  ['a handle of another kind', [[makeHandle(ResourceKind.texture, 0, 0), 0, 0]], ['wrong-handle-kind']],
  [
    'a use that no transition declared',
    [[BUFFER, 0, 0], [[RhiOpcode.transition, BUFFER, 8, 0x20]]],
    ['transition-missing'],
  ],
])('H8 finds in a new command: %s', (_, given, codes) => {
  expect(codesOf(...given)).toEqual(codes);
});

function beginPass(): number[] {
  const json = new TextEncoder().encode('{"label":"p"}   ');
  return [RhiOpcode.beginComputePass, 13, ...new Uint32Array(json.buffer)];
}

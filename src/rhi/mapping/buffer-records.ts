/**
 * Which field of a record names a buffer, and whether the command changes it. For who looks at records as they pass
 * and has to be quick about it: tables by opcode, with each field's place in the record plus 1, and 0 for none.
 *
 *   copyBufferToBuffer   | source | sourceByteOffset | target | targetByteOffset | byteLength |
 *                          read                        changed  from               so many bytes
 */
import { byOpcode, type CommandFact, type HandleWord } from '../commands/command-facts.js';
import { ResourceKind } from '../commands/handles.js';

const isOfBuffer = ({ kinds, isCreated, usage }: HandleWord): boolean =>
  kinds.length === 1 && kinds[0] === ResourceKind.buffer && !isCreated && usage !== undefined;

const readOf = ({ handles }: CommandFact): HandleWord | undefined =>
  handles.find((word) => isOfBuffer(word) && word.changes === null && word.usage !== 'copyTarget');

const changedOf = ({ handles }: CommandFact): HandleWord | undefined =>
  handles.find(({ changes }) => changes !== null);

/** Names a buffer that the command reads. */
export const READ_FIELD = /* @__PURE__ */ byOpcode((fact) => (readOf(fact)?.word ?? -1) + 1);

/** Names a buffer that the command changes at its place in the list. */
export const CHANGED_FIELD = /* @__PURE__ */ byOpcode((fact) => (changedOf(fact)?.word ?? -1) + 1);

/** The offset in bytes of what such a command changes; without one, it may be anywhere. */
export const CHANGED_FROM = /* @__PURE__ */ byOpcode(
  (fact) => (changedOf(fact)?.changes?.fromWord ?? -1) + 1,
);

/** Its length in bytes; without one, it may reach to the buffer's end. */
export const CHANGED_LENGTH = /* @__PURE__ */ byOpcode(
  (fact) => (changedOf(fact)?.changes?.lengthWord ?? -1) + 1,
);

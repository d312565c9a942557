/**
 * Which field of a record names a buffer, and whether the command changes it. For who looks at records as they pass
 * and has to be quick about it: tables by opcode, with each field's place in the record plus 1, and 0 for none.
 *
 *   copyBufferToBuffer   | source | sourceByteOffset | target | targetByteOffset | byteLength |
 *                          read                        changed  from               so many bytes
 */
import { RhiOpcode } from '../commands/commands.js';

/** Names a buffer that the command reads. */
export const READ_FIELD = /* @__PURE__ */ fieldsOf([
  [RhiOpcode.setVertexBuffer, 2],
  [RhiOpcode.setIndexBuffer, 1],
  [RhiOpcode.drawIndirect, 1],
  [RhiOpcode.drawIndexedIndirect, 1],
  [RhiOpcode.dispatchIndirect, 1],
  [RhiOpcode.copyBufferToBuffer, 1],
  [RhiOpcode.copyBufferToTexture, 1],
  [RhiOpcode.readBuffer, 2],
]);

/** Names a buffer that the command changes at its place in the list. */
export const CHANGED_FIELD = /* @__PURE__ */ fieldsOf([
  [RhiOpcode.writeBuffer, 1],
  [RhiOpcode.writeBufferFromAttachment, 2],
  [RhiOpcode.clearBuffer, 1],
  [RhiOpcode.copyBufferToBuffer, 3],
  [RhiOpcode.copyTextureToBuffer, 2],
  [RhiOpcode.resolveQuerySet, 4],
]);

/** The offset in bytes of what such a command changes; without one, it may be anywhere. */
export const CHANGED_FROM = /* @__PURE__ */ fieldsOf([
  [RhiOpcode.writeBuffer, 2],
  [RhiOpcode.writeBufferFromAttachment, 3],
  [RhiOpcode.clearBuffer, 2],
  [RhiOpcode.copyBufferToBuffer, 4],
  [RhiOpcode.resolveQuerySet, 5],
]);

/** Its length in bytes; without one, it may reach to the buffer's end. */
export const CHANGED_LENGTH = /* @__PURE__ */ fieldsOf([
  [RhiOpcode.writeBuffer, 3],
  [RhiOpcode.writeBufferFromAttachment, 5],
  [RhiOpcode.clearBuffer, 3],
  [RhiOpcode.copyBufferToBuffer, 5],
]);

function fieldsOf(fields: readonly (readonly [opcode: number, place: number])[]): Uint8Array {
  const byOpcode = new Uint8Array(256);
  for (const [opcode, place] of fields) byOpcode[opcode] = place;
  return byOpcode;
}

/**
 * What records are to those who keep them from one frame to the next: the replay of passes, draw bundles, and the
 * validation layer, which must agree. By opcode, so that one look at a header's lowest byte answers.
 *
 *   setViewport … │ setGraphicsPipeline │ setBindGroup │ drawIndexed │ pushDebugGroup │ endRenderPass
 *   isPrologue    │ isBundled           │ isBundled    │ isBundled   │ isBundled      │
 *                 │ handleField 1       │ handleField 2│ isDraw      │                │
 */
import { RhiOpcode } from './commands.js';

/** 1: a draw. */
export const isDraw = new Uint8Array(256);
/** 1: what WebGPU's render bundles take: state, draws, debug groups and markers. */
export const isBundled = new Uint8Array(256);
/** Which word of such a record is a handle; 0 for none. */
export const handleField = new Uint8Array(256);
/** 1: state that is the pass's own, and so may only precede what is kept. */
export const isPrologue = new Uint8Array(256);

for (const opcode of [
  RhiOpcode.draw,
  RhiOpcode.drawIndexed,
  RhiOpcode.drawIndirect,
  RhiOpcode.drawIndexedIndirect,
]) {
  isBundled[opcode] = isDraw[opcode] = 1;
}
for (const opcode of [
  RhiOpcode.setGraphicsPipeline,
  RhiOpcode.setIndexBuffer,
  RhiOpcode.drawIndirect,
  RhiOpcode.drawIndexedIndirect,
]) {
  isBundled[opcode] = handleField[opcode] = 1;
}
for (const opcode of [RhiOpcode.setBindGroup, RhiOpcode.setVertexBuffer]) {
  isBundled[opcode] = 1;
  handleField[opcode] = 2;
}
for (const opcode of [RhiOpcode.pushDebugGroup, RhiOpcode.popDebugGroup, RhiOpcode.insertDebugMarker]) {
  isBundled[opcode] = 1;
}
for (const opcode of [
  RhiOpcode.setViewport,
  RhiOpcode.setScissorRect,
  RhiOpcode.setBlendFactor,
  RhiOpcode.setStencilRef,
]) {
  isPrologue[opcode] = 1;
}

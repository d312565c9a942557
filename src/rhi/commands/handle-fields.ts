/** Which words of which commands are handles, and of what: for whoever checks records without executing them. */
import type { rhiCommands } from './commands.js';
import { ResourceKind } from './handles.js';

type CommandName = keyof typeof rhiCommands.opcodes;

/** Index of the word among the record's fields, and the kind it must have. */
export type HandleField = readonly [word: number, kind: ResourceKind];

const { buffer, texture, bindGroup, graphicsPipeline, computePipeline, querySet, fence, drawBundle } =
  ResourceKind;

/** Creates, destroys and descriptors aside; `transition` takes a buffer or a texture, and is not here either. */
export const handleFields: { readonly [Name in CommandName]?: readonly HandleField[] } = {
  writeBuffer: [[0, buffer]],
  writeBufferUnordered: [[0, buffer]],
  renameBuffer: [[0, buffer]],
  writeBufferFromAttachment: [[1, buffer]],
  writeTexture: [[0, texture]],
  writeTextureFromAttachment: [[1, texture]],
  copyExternalImage: [[1, texture]],
  clearBuffer: [[0, buffer]],
  clearTexture: [[0, texture]],
  copyBufferToBuffer: [
    [0, buffer],
    [2, buffer],
  ],
  copyBufferToTexture: [
    [0, buffer],
    [1, texture],
  ],
  copyTextureToBuffer: [
    [0, texture],
    [1, buffer],
  ],
  copyTextureToTexture: [
    [0, texture],
    [1, texture],
  ],
  readBuffer: [[1, buffer]],
  signalFence: [[0, fence]],
  waitFence: [[0, fence]],
  setGraphicsPipeline: [[0, graphicsPipeline]],
  setComputePipeline: [[0, computePipeline]],
  setBindGroup: [[1, bindGroup]],
  setVertexBuffer: [[1, buffer]],
  setIndexBuffer: [[0, buffer]],
  drawIndirect: [[0, buffer]],
  drawIndexedIndirect: [[0, buffer]],
  dispatchIndirect: [[0, buffer]],
  executeDrawBundle: [[0, drawBundle]],
  resolveQuerySet: [
    [0, querySet],
    [3, buffer],
  ],
};

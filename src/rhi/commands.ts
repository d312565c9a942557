import { defineRecordTable } from '../core/record-table.js';

/**
 * The RHI's commands: the one table from which types, traces, histograms and documentation derive
 * (SYSTEMS H1, table C). Handles are `u32` fields (see `handles.ts`); descriptors of cold commands are `json`
 * whose types stand in `descriptors.ts`.
 */
export const rhiCommands = defineRecordTable('RHI commands', {
  // Frames and the viewport.
  beginFrame: { frame: 'u32', flags: 'u32' },
  endFrame: { frame: 'u32' },
  /** Marks what belongs to one scene of the frame, for traces. */
  beginScene: { label: 'string' },
  endScene: {},
  /** Acquires the surface's texture under the handle `target`; only between begin and end may it be named. */
  beginDrawingViewport: { target: 'u32', width: 'u32', height: 'u32' },
  endDrawingViewport: { target: 'u32' },
  /** Hands the picture of this frame out as a `VideoFrame` with this time stamp (microseconds), once it is submitted. */
  outputVideoFrame: { request: 'u32', timestamp: 'f64' },
  /** What follows is meant for this queue (`QueueHint`): checked by validation, shown on the timeline (H6). */
  setQueue: { queue: 'u32' },

  // Resources. Destroys travel in the stream, so they can't overtake the last use.
  createBuffer: { handle: 'u32', descriptor: 'json' },
  createTexture: { handle: 'u32', descriptor: 'json' },
  createSampler: { handle: 'u32', descriptor: 'json' },
  createShaderModule: { handle: 'u32', label: 'string', code: 'string' },
  createBindGroupLayout: { handle: 'u32', descriptor: 'json' },
  createBindGroup: { handle: 'u32', descriptor: 'json' },
  createGraphicsPipeline: { handle: 'u32', descriptor: 'json' },
  createComputePipeline: { handle: 'u32', descriptor: 'json' },
  createQuerySet: { handle: 'u32', descriptor: 'json' },
  createFence: { handle: 'u32', initialValue: 'f64', label: 'string' },
  destroyResource: { handle: 'u32' },

  // Data.
  /** Offset and length are multiples of 4. */
  writeBuffer: { buffer: 'u32', byteOffset: 'u32', data: 'bytes' },
  /**
   * As `writeBuffer`, also inside a pass, and not ordered with the draws of its list: for ranges that nothing
   * pending reads (map modes write-discard and write-no-overwrite, M1).
   */
  writeBufferUnordered: { buffer: 'u32', byteOffset: 'u32', data: 'bytes' },
  /** From here on the buffer is new memory of the same size, zeroed; what was recorded before means the old one (M1). */
  renameBuffer: { buffer: 'u32' },
  writeBufferFromAttachment: {
    data: 'attachment',
    buffer: 'u32',
    byteOffset: 'u32',
    dataByteOffset: 'u32',
    byteLength: 'u32',
  },
  writeTexture: { texture: 'u32', region: 'json', data: 'bytes' },
  writeTextureFromAttachment: { data: 'attachment', texture: 'u32', region: 'json' },
  /** The source is an ImageBitmap. */
  copyExternalImage: { source: 'attachment', texture: 'u32', region: 'json' },
  clearBuffer: { buffer: 'u32', byteOffset: 'u32', byteLength: 'u32' },
  /** `TextureClear`: which part, and to what. */
  clearTexture: { texture: 'u32', clear: 'json' },
  copyBufferToBuffer: {
    source: 'u32',
    sourceByteOffset: 'u32',
    target: 'u32',
    targetByteOffset: 'u32',
    byteLength: 'u32',
  },
  copyBufferToTexture: { source: 'u32', target: 'u32', region: 'json' },
  copyTextureToBuffer: { source: 'u32', target: 'u32', region: 'json' },
  copyTextureToTexture: { source: 'u32', target: 'u32', region: 'json' },
  /** Sends the bytes of a buffer (usage MAP_READ) to the main thread under `request`, once the GPU has written them. */
  readBuffer: { request: 'u32', buffer: 'u32', byteOffset: 'u32', byteLength: 'u32' },

  /** The resource is used as `after` from here on, as `before` up to here (usage bits); WebGPU has its own barriers. */
  transition: { resource: 'u32', before: 'u32', after: 'u32' },

  // Order. Both end what is submitted so far; values only rise.
  signalFence: { fence: 'u32', value: 'f64' },
  waitFence: { fence: 'u32', value: 'f64' },
  /** Runs what is registered under this name on the device's thread. */
  localCommand: { name: 'string', data: 'bytes' },

  // Passes.
  beginRenderPass: { descriptor: 'json' },
  endRenderPass: {},
  beginComputePass: { descriptor: 'json' },
  endComputePass: {},

  // State.
  setGraphicsPipeline: { pipeline: 'u32' },
  setComputePipeline: { pipeline: 'u32' },
  setBindGroup: { index: 'u32', bindGroup: 'u32', dynamicOffsets: 'u32[]' },
  setVertexBuffer: { slot: 'u32', buffer: 'u32', byteOffset: 'u32', byteLength: 'u32' },
  /** `format`: 0 uint16, 1 uint32. */
  setIndexBuffer: { buffer: 'u32', format: 'u32', byteOffset: 'u32', byteLength: 'u32' },
  setViewport: { x: 'f32', y: 'f32', width: 'f32', height: 'f32', minDepth: 'f32', maxDepth: 'f32' },
  setScissorRect: { x: 'u32', y: 'u32', width: 'u32', height: 'u32' },
  setStencilRef: { reference: 'u32' },
  setBlendFactor: { red: 'f32', green: 'f32', blue: 'f32', alpha: 'f32' },

  // Work.
  draw: { vertexCount: 'u32', instanceCount: 'u32', firstVertex: 'u32', firstInstance: 'u32' },
  drawIndexed: {
    indexCount: 'u32',
    instanceCount: 'u32',
    firstIndex: 'u32',
    baseVertex: 'i32',
    firstInstance: 'u32',
  },
  drawIndirect: { buffer: 'u32', byteOffset: 'u32' },
  drawIndexedIndirect: { buffer: 'u32', byteOffset: 'u32' },
  dispatch: { x: 'u32', y: 'u32', z: 'u32' },
  dispatchIndirect: { buffer: 'u32', byteOffset: 'u32' },

  // Queries and debugging.
  beginOcclusionQuery: { index: 'u32' },
  endOcclusionQuery: {},
  resolveQuerySet: {
    querySet: 'u32',
    firstQuery: 'u32',
    queryCount: 'u32',
    target: 'u32',
    targetByteOffset: 'u32',
  },
  pushDebugGroup: { label: 'string' },
  popDebugGroup: {},
  insertDebugMarker: { label: 'string' },
  /** Stops a debugger on the device's thread, where one is attached. */
  debugBreak: {},
  /** Forgets what is known to be set: the next state is set anew, though it be the same. */
  invalidateCachedState: {},
  /** Nothing pending uses the resource: the destroy that comes next frees it at once (M3). */
  assumeNotInUse: { handle: 'u32' },
});

export const RhiOpcode = rhiCommands.opcodes;

/** `beginFrame` flags. */
export const FrameFlag = {
  /** Wait until every pipeline the list names exists, so that nothing is skipped (under `step()`). */
  waitForPipelines: 1,
} as const;

/** Queues of the declared lanes (SYSTEMS H6): graphics does all, compute no draws, copy only copies. */
export const QueueHint = { graphics: 0, compute: 1, copy: 2 } as const;
export type QueueHint = (typeof QueueHint)[keyof typeof QueueHint];

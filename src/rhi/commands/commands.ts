import { defineRecordTable } from '../../core/record-table.js';

/**
 * The RHI's commands: the one table from which types, traces, histograms and documentation derive
 * (SYSTEMS H1, table C). Handles are `u32` fields (see `handles.ts`); descriptors of cold commands are `json`
 * whose types stand in `descriptors.ts`.
 */
export const rhiCommands = defineRecordTable('RHI commands', {
  // Frames and the viewport.
  /** Begins the list of a frame; numbers rise and may skip. `flags`: bits of `FrameFlag`. */
  beginFrame: { frame: 'u32', flags: 'u32' },
  /** Ends the frame's list: it is submitted and numbered, and its read-backs begin. */
  endFrame: { frame: 'u32' },
  /** Marks what belongs to one scene of the frame, for traces. */
  beginScene: { label: 'string' },
  /** Ends what `beginScene` began. */
  endScene: {},
  /** Acquires the surface's texture under the handle `target`; only between begin and end may it be named. */
  beginDrawingViewport: { target: 'u32', width: 'u32', height: 'u32' },
  /** The surface's texture is named no more; what was drawn is shown once the frame is submitted. */
  endDrawingViewport: { target: 'u32' },
  /** Hands the picture of this frame out as a `VideoFrame` with this time stamp (microseconds), once it is submitted. */
  outputVideoFrame: { request: 'u32', timestamp: 'f64' },
  /** What follows is meant for this queue (`QueueHint`): checked by validation, shown on the timeline (H6). */
  setQueue: { queue: 'u32' },

  // Resources. Destroys travel in the stream, so they can't overtake the last use.
  /** `BufferDescriptor`. The contents are zeros. */
  createBuffer: { handle: 'u32', descriptor: 'json' },
  /** `TextureDescriptor`. The contents are zeros. Views are made from `TextureViewDescriptor` where they are used. */
  createTexture: { handle: 'u32', descriptor: 'json' },
  /** `SamplerDescriptor`. */
  createSampler: { handle: 'u32', descriptor: 'json' },
  /** `code` is WGSL. What does not compile is reported with line and column; its users are left out. */
  createShaderModule: { handle: 'u32', label: 'string', code: 'string' },
  /** `BindGroupLayoutDescriptor`. */
  createBindGroupLayout: { handle: 'u32', descriptor: 'json' },
  /** `BindGroupDescriptor`. */
  createBindGroup: { handle: 'u32', descriptor: 'json' },
  /** `GraphicsPipelineDescriptor`. Made in the background: draws are skipped and counted until it is ready. */
  createGraphicsPipeline: { handle: 'u32', descriptor: 'json' },
  /** `ComputePipelineDescriptor`. As above, for dispatches. */
  createComputePipeline: { handle: 'u32', descriptor: 'json' },
  /** `QuerySetDescriptor`. */
  createQuerySet: { handle: 'u32', descriptor: 'json' },
  /** A fence for `signalFence` and `waitFence`, with its first value. */
  createFence: { handle: 'u32', initialValue: 'f64', label: 'string' },
  /** Nothing recorded from here on uses the resource. It is freed when the GPU has finished this list. */
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
  /** As `writeBuffer`, with a part of an ArrayBuffer that travels beside the stream. */
  writeBufferFromAttachment: {
    data: 'attachment',
    buffer: 'u32',
    byteOffset: 'u32',
    dataByteOffset: 'u32',
    byteLength: 'u32',
  },
  /** Texels in the layout that the region (`TextureRegion`) says. */
  writeTexture: { texture: 'u32', region: 'json', data: 'bytes' },
  /** As `writeTexture`, with an ArrayBuffer that travels beside the stream. */
  writeTextureFromAttachment: { data: 'attachment', texture: 'u32', region: 'json' },
  /** The source is an ImageBitmap. */
  copyExternalImage: { source: 'attachment', texture: 'u32', region: 'json' },
  /** Zeros. Offset and length are multiples of 4. */
  clearBuffer: { buffer: 'u32', byteOffset: 'u32', byteLength: 'u32' },
  /** `TextureClear`: which part, and to what. */
  clearTexture: { texture: 'u32', clear: 'json' },
  /** Offsets and length are multiples of 4. */
  copyBufferToBuffer: {
    source: 'u32',
    sourceByteOffset: 'u32',
    target: 'u32',
    targetByteOffset: 'u32',
    byteLength: 'u32',
  },
  /** `TextureRegion`. Rows lie `bytesPerRow` apart, a multiple of 256. */
  copyBufferToTexture: { source: 'u32', target: 'u32', region: 'json' },
  /** `TextureRegion`. Rows lie `bytesPerRow` apart, a multiple of 256. */
  copyTextureToBuffer: { source: 'u32', target: 'u32', region: 'json' },
  /** `TextureRegion`, with where in the source. */
  copyTextureToTexture: { source: 'u32', target: 'u32', region: 'json' },
  /** The bytes of a buffer go to `onReadback` under `request`, once the GPU has written them. In multiples of 4. */
  readBuffer: { request: 'u32', buffer: 'u32', byteOffset: 'u32', byteLength: 'u32' },

  /** The resource is used as `after` from here on, as `before` up to here (usage bits); WebGPU has its own barriers. */
  transition: { resource: 'u32', before: 'u32', after: 'u32' },

  // Order. Both end what is submitted so far; values only rise.
  /** The fence gets the value once the GPU has finished everything before. */
  signalFence: { fence: 'u32', value: 'f64' },
  /** What follows is executed when the fence has reached the value. Blocks nobody. */
  waitFence: { fence: 'u32', value: 'f64' },
  /** Runs what is registered under this name on the device's thread. */
  localCommand: { name: 'string', data: 'bytes' },

  // Passes.
  /** `RenderPassDescriptor`: attachments with load, store, clear and resolve; queries; timestamps. */
  beginRenderPass: { descriptor: 'json' },
  /** Multisampled attachments are resolved here. */
  endRenderPass: {},
  /** `ComputePassDescriptor`. */
  beginComputePass: { descriptor: 'json' },
  /** Ends the compute pass. */
  endComputePass: {},

  // State.
  /** For the draws that follow in this pass. */
  setGraphicsPipeline: { pipeline: 'u32' },
  /** For the dispatches that follow in this pass. */
  setComputePipeline: { pipeline: 'u32' },
  /** `index` is the group's number in the shader; a dynamic offset in bytes for each binding that has one. */
  setBindGroup: { index: 'u32', bindGroup: 'u32', dynamicOffsets: 'u32[]' },
  /** `slot` is the index in the pipeline's `vertex.buffers`. */
  setVertexBuffer: { slot: 'u32', buffer: 'u32', byteOffset: 'u32', byteLength: 'u32' },
  /** `format`: 0 uint16, 1 uint32. */
  setIndexBuffer: { buffer: 'u32', format: 'u32', byteOffset: 'u32', byteLength: 'u32' },
  /** In pixels from the top left; depths 0 to 1. */
  setViewport: { x: 'f32', y: 'f32', width: 'f32', height: 'f32', minDepth: 'f32', maxDepth: 'f32' },
  /** In pixels from the top left; nothing is drawn outside. */
  setScissorRect: { x: 'u32', y: 'u32', width: 'u32', height: 'u32' },
  /** The value that stencil tests compare with. */
  setStencilRef: { reference: 'u32' },
  /** The constant of the blend factors `constant` and `one-minus-constant`. */
  setBlendFactor: { red: 'f32', green: 'f32', blue: 'f32', alpha: 'f32' },

  // Work.
  /** Instances of so many vertices each. */
  draw: { vertexCount: 'u32', instanceCount: 'u32', firstVertex: 'u32', firstInstance: 'u32' },
  /** Instances of so many indices each; `baseVertex` is added to each index. */
  drawIndexed: {
    indexCount: 'u32',
    instanceCount: 'u32',
    firstIndex: 'u32',
    baseVertex: 'i32',
    firstInstance: 'u32',
  },
  /** The four fields of `draw`, as u32, from a buffer. */
  drawIndirect: { buffer: 'u32', byteOffset: 'u32' },
  /** The five fields of `drawIndexed`, 32 bits each, from a buffer. */
  drawIndexedIndirect: { buffer: 'u32', byteOffset: 'u32' },
  /** So many workgroups in each direction. */
  dispatch: { x: 'u32', y: 'u32', z: 'u32' },
  /** The three fields of `dispatch`, as u32, from a buffer. */
  dispatchIndirect: { buffer: 'u32', byteOffset: 'u32' },

  // Queries and debugging.
  /** Counts samples that pass, into this query of the pass's `occlusionQuerySet`. */
  beginOcclusionQuery: { index: 'u32' },
  /** Ends the query. */
  endOcclusionQuery: {},
  /** Writes results as u64 each: samples, or nanoseconds. The target offset is a multiple of 256. */
  resolveQuerySet: {
    querySet: 'u32',
    firstQuery: 'u32',
    queryCount: 'u32',
    target: 'u32',
    targetByteOffset: 'u32',
  },
  /** Names what follows, to `popDebugGroup`, in GPU debuggers and traces. */
  pushDebugGroup: { label: 'string' },
  /** Ends the group opened last. */
  popDebugGroup: {},
  /** A name at this place, in GPU debuggers and traces. */
  insertDebugMarker: { label: 'string' },
  /** Stops a debugger on the device's thread, where one is attached. */
  debugBreak: {},
  /** Forgets what is known to be set: the next state is set anew, though it be the same. */
  invalidateCachedState: {},
  /** Nothing pending uses the resource: the destroy that comes next frees it at once (M3). */
  assumeNotInUse: { handle: 'u32' },

  // Draw bundles.
  /**
   * Draws that stay the same, with the state they need: records of this table, which are checked here and executed by
   * `executeDrawBundle`. State, draws, debug groups and markers only.
   */
  createDrawBundle: { handle: 'u32', label: 'string', commands: 'u32[]' },
  /** Draws a bundle in this render pass. It begins with nothing set, and leaves nothing set. */
  executeDrawBundle: { bundle: 'u32' },
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

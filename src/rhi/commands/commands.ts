import { defineRecordTable } from '../../core/records/record-table.js';
import { type CommandRow, call, wireFields } from './command-rows.js';
import type { DescribedKind } from './descriptor-shapes.js';
import {
  type BufferHandle,
  type ComputePassDescriptor,
  type ComputePipelineHandle,
  type Descriptors,
  type DrawBundleHandle,
  type FenceHandle,
  type QuerySetHandle,
  QueueHint,
  type RenderPassDescriptor,
  type TextureClear,
  type TextureHandle,
  type TextureRegion,
} from './descriptors.js';
import {
  anyHandle,
  beside,
  bytes,
  changedBuffer,
  copiedBuffer,
  created,
  double,
  fenceValue,
  float,
  handle,
  json,
  signed,
  text,
  word,
  words,
} from './fields.js';
import { kindName } from './handles.js';
import type { Handle } from './shapes.js';

export { FrameFlag, QueueHint } from './descriptors.js';

/** An offset or a length of bytes that are copied. */
const byteCount = word({ multipleOf: 4 });
/** Of vertices, indices or instances: what is more was a negative number. */
const count = word({ most: 2 ** 31 - 1 });
/** What shows a text in traces and GPU debuggers. */
const labelled = { fields: { label: text() }, call: call<(label: string) => void>() } as const;
const ofFence = {
  scope: 'outside passes',
  endsSubmission: true,
  fields: { fence: handle('fence'), value: fenceValue() },
  call: call<(fence: FenceHandle, value: number | bigint) => void>(),
} as const;
/** Work whose amount stands in a buffer. */
const indirect = {
  fields: { buffer: handle('buffer', 'indirect'), byteOffset: byteCount },
  call: call<(buffer: BufferHandle, byteOffset: number) => void>(),
} as const;

/** The creation of a resource from its descriptor. */
const creation = <Kind extends keyof Descriptors>(kind: Kind) =>
  ({
    scope: 'anywhere',
    context: 'immediate',
    fields: { handle: created(kind), descriptor: json(kindName(kind) as DescribedKind) },
    call: call<(descriptor: Descriptors[Kind]) => Handle<Kind>>(),
  }) as const;

/**
 * The RHI's commands: the one table from which types, methods of contexts, checks, traces, histograms and the
 * documentation derive (SYSTEMS H1, table C); `fields.ts` and `command-rows.ts` say what an annotation means. A command
 * with `call` is a method of contexts, made from its row; one without is recorded by code of its own. The order of the
 * rows fixes the opcodes.
 */
export const commandRows = {
  // Frames and the viewport.
  /** Begins the list of a frame; numbers rise and may skip. `flags`: bits of `FrameFlag`. */
  beginFrame: { scope: 'outside passes', fields: { frame: word(), flags: word() } },
  /** Ends the frame's list: it is submitted and numbered, and its read-backs begin. */
  endFrame: { scope: 'outside passes', fields: { frame: word() } },
  /** Marks what belongs to one scene of the frame, for traces. */
  beginScene: { scope: 'outside passes', context: 'immediate', ...labelled },
  /** Ends what `beginScene` began. */
  endScene: { scope: 'outside passes', context: 'immediate', fields: {}, call: call<() => void>() },
  /** Acquires the surface's texture under the handle `target`; only between begin and end may it be named. */
  beginDrawingViewport: {
    scope: 'outside passes',
    context: 'immediate',
    fields: { target: created('texture'), width: word(), height: word() },
  },
  /** The surface's texture is named no more; what was drawn is shown once the frame is submitted. */
  endDrawingViewport: {
    scope: 'outside passes',
    context: 'immediate',
    fields: { target: handle('texture') },
  },
  /** Hands the picture of this frame out as a `VideoFrame` with this time stamp (microseconds), once it is submitted. */
  outputVideoFrame: {
    scope: 'anywhere',
    context: 'immediate',
    fields: { request: word(), timestamp: double() },
    call: call<(request: number, timestamp: number) => void>(),
  },
  /** What follows is meant for this queue (`QueueHint`): checked by validation, shown on the timeline (H6). */
  setQueue: {
    scope: 'outside passes',
    fields: { queue: word({ most: QueueHint.copy }) },
  },

  // Resources. Destroys travel in the stream, so they can't overtake the last use.
  /** `BufferDescriptor`. The contents are zeros. */
  createBuffer: creation('buffer'),
  /** `TextureDescriptor`. The contents are zeros. Views are made from `TextureViewDescriptor` where they are used. */
  createTexture: creation('texture'),
  /** `SamplerDescriptor`. */
  createSampler: creation('sampler'),
  /** `code` is WGSL. What does not compile is reported with line and column (behind a line `//# name`, by that name and from there on); its users are left out. */
  createShaderModule: {
    scope: 'anywhere',
    context: 'immediate',
    fields: { handle: created('shaderModule'), label: text(), code: text() },
    call: call<(descriptor: Descriptors['shaderModule']) => Handle<'shaderModule'>>(),
  },
  /** `BindGroupLayoutDescriptor`. */
  createBindGroupLayout: creation('bindGroupLayout'),
  /** `BindGroupDescriptor`. */
  createBindGroup: creation('bindGroup'),
  /** `GraphicsPipelineDescriptor`. Made in the background: draws are skipped and counted until it is ready. */
  createGraphicsPipeline: creation('graphicsPipeline'),
  /** `ComputePipelineDescriptor`. As above, for dispatches. */
  createComputePipeline: creation('computePipeline'),
  /** `QuerySetDescriptor`. */
  createQuerySet: creation('querySet'),
  /** A fence for `signalFence` and `waitFence`, with its first value. */
  createFence: {
    scope: 'anywhere',
    context: 'immediate',
    fields: { handle: created('fence'), initialValue: fenceValue(), label: text() },
    parameters: ['label', 'initialValue'],
  },
  /** Nothing recorded from here on uses the resource. It is freed when the GPU has finished this list. */
  destroyResource: { scope: 'anywhere', context: 'immediate', fields: { handle: anyHandle() } },

  // Data.
  /** Offset and length are multiples of 4. */
  writeBuffer: {
    scope: 'outside passes',
    isHot: true,
    fields: {
      buffer: changedBuffer('copyTarget', { from: 'byteOffset', length: 'data' }),
      byteOffset: byteCount,
      data: bytes(),
    },
  },
  /**
   * As `writeBuffer`, also inside a pass, and not ordered with the draws of its list: for ranges that nothing
   * pending reads (map modes write-discard and write-no-overwrite, M1).
   */
  writeBufferUnordered: {
    scope: 'anywhere',
    fields: { buffer: handle('buffer', 'copyTarget'), byteOffset: byteCount, data: bytes() },
    call: call<(buffer: BufferHandle, byteOffset: number, data: Uint8Array) => void>(),
  },
  /** From here on the buffer is new memory of the same size, zeroed; what was recorded before means the old one (M1). */
  renameBuffer: {
    scope: 'anywhere',
    fields: { buffer: handle('buffer') },
    call: call<(buffer: BufferHandle) => void>(),
  },
  /** As `writeBuffer`, with a part of an ArrayBuffer that travels beside the stream, and is empty here afterwards. */
  writeBufferFromAttachment: {
    scope: 'outside passes',
    fields: {
      data: beside('ArrayBuffer'),
      buffer: changedBuffer('copyTarget', { from: 'byteOffset', length: 'byteLength' }),
      byteOffset: byteCount,
      dataByteOffset: byteCount,
      byteLength: byteCount,
    },
  },
  /** Texels in the layout that the region (`TextureRegion`) says. */
  writeTexture: {
    scope: 'outside passes',
    fields: { texture: handle('texture', 'copyTarget'), region: json('texture region'), data: bytes() },
  },
  /** As `writeTexture`, with an ArrayBuffer that travels beside the stream, and is empty here afterwards. */
  writeTextureFromAttachment: {
    scope: 'outside passes',
    fields: {
      data: beside('ArrayBuffer'),
      texture: handle('texture', 'copyTarget'),
      region: json('texture region'),
    },
    parameters: ['texture', 'region', 'data'],
    call: call<(texture: TextureHandle, region: TextureRegion, data: ArrayBuffer) => void>(),
  },
  /** The source is an ImageBitmap, which is closed once it is copied. The texture needs `renderAttachment` too. */
  copyExternalImage: {
    scope: 'outside passes',
    fields: {
      source: beside('ImageBitmap'),
      texture: handle('texture', 'copyTarget'),
      region: json('texture region'),
    },
    call: call<(source: ImageBitmap, texture: TextureHandle, region: TextureRegion) => void>(),
  },
  /** Zeros. Offset and length are multiples of 4. */
  clearBuffer: {
    scope: 'outside passes',
    fields: {
      buffer: changedBuffer('copyTarget', { from: 'byteOffset', length: 'byteLength' }),
      byteOffset: byteCount,
      byteLength: byteCount,
    },
    call: call<(buffer: BufferHandle, byteOffset: number, byteLength: number) => void>(),
  },
  /** `TextureClear`: which part, and to what; all of it to zeros where nothing is said. */
  clearTexture: {
    scope: 'outside passes',
    fields: { texture: handle('texture'), clear: { ...json('texture clear'), default: {} } },
    call: call<(texture: TextureHandle, clear?: TextureClear) => void>(),
  },
  /** Two buffers, or ranges of one that do not overlap. Offsets and length are multiples of 4. */
  copyBufferToBuffer: {
    scope: 'outside passes',
    fields: {
      source: copiedBuffer({ from: 'sourceByteOffset', length: 'byteLength' }),
      sourceByteOffset: byteCount,
      target: changedBuffer('copyTarget', { from: 'targetByteOffset', length: 'byteLength' }),
      targetByteOffset: byteCount,
      byteLength: byteCount,
    },
    call: call<
      (
        source: BufferHandle,
        sourceByteOffset: number,
        target: BufferHandle,
        targetByteOffset: number,
        byteLength: number,
      ) => void
    >(),
  },
  /** `TextureRegion`. Rows lie `bytesPerRow` apart, a multiple of 256. */
  copyBufferToTexture: {
    scope: 'outside passes',
    fields: {
      source: handle('buffer', 'copySource'),
      target: handle('texture', 'copyTarget'),
      region: json('texture region'),
    },
    call: call<(source: BufferHandle, target: TextureHandle, region: TextureRegion) => void>(),
  },
  /** `TextureRegion`. Rows lie `bytesPerRow` apart, a multiple of 256. */
  copyTextureToBuffer: {
    scope: 'outside passes',
    fields: {
      source: handle('texture', 'copySource'),
      target: changedBuffer('copyTarget', {}),
      region: json('texture region'),
    },
    call: call<(source: TextureHandle, target: BufferHandle, region: TextureRegion) => void>(),
  },
  /** `TextureRegion`: from its `sourceOrigin` and `sourceMipLevel` to its `origin` and `mipLevel`, unconverted. */
  copyTextureToTexture: {
    scope: 'outside passes',
    fields: {
      source: handle('texture', 'copySource'),
      target: handle('texture', 'copyTarget'),
      region: json('texture region'),
    },
    call: call<(source: TextureHandle, target: TextureHandle, region: TextureRegion) => void>(),
  },
  /** The bytes of a buffer go to `onReadback` under `request`, once the GPU has written them. In multiples of 4. */
  readBuffer: {
    scope: 'outside passes',
    readsBack: true,
    fields: {
      request: word(),
      buffer: copiedBuffer({ from: 'byteOffset', length: 'byteLength' }),
      byteOffset: byteCount,
      byteLength: byteCount,
    },
    call: call<(request: number, buffer: BufferHandle, byteOffset: number, byteLength: number) => void>(),
  },

  /**
   * The resource is used as `after` from here on, as `before` up to here (bits of `BufferUsage` or `TextureUsage`).
   * WebGPU has its own barriers; validation compares with the real use.
   */
  transition: {
    scope: 'anywhere',
    fields: { resource: anyHandle('buffer', 'texture'), before: word(), after: word() },
    call: call<(resource: BufferHandle | TextureHandle, before: number, after: number) => void>(),
  },

  // Order. Both end what is submitted so far; values only rise.
  /** The fence gets the value, whole and below 2^64 − 1, once the GPU has finished everything before. */
  signalFence: ofFence,
  /** What follows is executed when the fence has reached the value. Blocks nobody. */
  waitFence: ofFence,
  /** Runs what is registered under this name on the device's thread, with a copy of the bytes. */
  localCommand: {
    scope: 'anywhere',
    endsSubmission: true,
    fields: { name: text(), data: { ...bytes(), default: new Uint8Array(0) } },
    call: call<(name: string, data?: Uint8Array) => void>(),
  },

  // Passes.
  /** `RenderPassDescriptor`: attachments with load, store, clear and resolve; queries; timestamps. */
  beginRenderPass: {
    scope: 'outside passes',
    queue: 'graphics',
    fields: { descriptor: { ...json('render pass'), isKept: true } },
    call: call<(descriptor: RenderPassDescriptor) => void>(),
  },
  /** Multisampled attachments are resolved here. */
  endRenderPass: { scope: 'render passes', fields: {}, call: call<() => void>() },
  /** `ComputePassDescriptor`. */
  beginComputePass: {
    scope: 'outside passes',
    queue: 'compute',
    fields: { descriptor: { ...json('compute pass'), isKept: true } },
    call: call<(descriptor: ComputePassDescriptor) => void>(),
  },
  /** Ends the compute pass. */
  endComputePass: { scope: 'compute passes', fields: {}, call: call<() => void>() },

  // State.
  /** For the draws that follow in this pass. */
  setGraphicsPipeline: {
    scope: 'render passes and bundles',
    isHot: true,
    fields: { pipeline: handle('graphicsPipeline') },
  },
  /** For the dispatches that follow in this pass. */
  setComputePipeline: {
    scope: 'compute passes',
    fields: { pipeline: handle('computePipeline') },
    call: call<(pipeline: ComputePipelineHandle) => void>(),
  },
  /** `index` is the group's number in the shader; a dynamic offset in bytes for each binding that has one. */
  setBindGroup: {
    scope: 'passes and bundles',
    isHot: true,
    fields: { index: word(), bindGroup: handle('bindGroup'), dynamicOffsets: words() },
  },
  /** `slot` is the index in the pipeline's `vertex.buffers`. */
  setVertexBuffer: {
    scope: 'render passes and bundles',
    isHot: true,
    fields: { slot: word(), buffer: handle('buffer', 'vertex'), byteOffset: byteCount, byteLength: word() },
  },
  /** `format`: 0 uint16, 1 uint32. */
  setIndexBuffer: {
    scope: 'render passes and bundles',
    isHot: true,
    fields: {
      buffer: handle('buffer', 'index'),
      format: word({ most: 1 }),
      byteOffset: word({ multipleOf: 2 }),
      byteLength: word(),
    },
  },
  /** In pixels from the top left; depths 0 to 1. */
  setViewport: {
    scope: 'render passes',
    fields: {
      x: float(),
      y: float(),
      width: float(),
      height: float(),
      minDepth: float(),
      maxDepth: float(),
    },
    call: call<
      (x: number, y: number, width: number, height: number, minDepth: number, maxDepth: number) => void
    >(),
  },
  /** In pixels from the top left, inside the attachments; nothing is drawn outside. */
  setScissorRect: {
    scope: 'render passes',
    fields: { x: word(), y: word(), width: word(), height: word() },
    call: call<(x: number, y: number, width: number, height: number) => void>(),
  },
  /** The value that stencil tests compare with. 0 at a pass's begin. */
  setStencilRef: {
    scope: 'render passes',
    fields: { reference: word() },
    call: call<(reference: number) => void>(),
  },
  /** The constant of the blend factors `constant` and `one-minus-constant`. Zeros at a pass's begin. */
  setBlendFactor: {
    scope: 'render passes',
    fields: { red: float(), green: float(), blue: float(), alpha: float() },
    call: call<(red: number, green: number, blue: number, alpha: number) => void>(),
  },

  // Work.
  /** Instances of so many vertices each. */
  draw: {
    scope: 'render passes and bundles',
    isHot: true,
    isDraw: true,
    fields: { vertexCount: count, instanceCount: count, firstVertex: count, firstInstance: count },
  },
  /** Instances of so many indices each; `baseVertex` is added to each index. */
  drawIndexed: {
    scope: 'render passes and bundles',
    isHot: true,
    isDraw: true,
    fields: {
      indexCount: count,
      instanceCount: count,
      firstIndex: count,
      baseVertex: signed(),
      firstInstance: count,
    },
  },
  /** The four fields of `draw`, as u32, from a buffer. */
  drawIndirect: { scope: 'render passes and bundles', isDraw: true, ...indirect },
  /** The five fields of `drawIndexed`, 32 bits each, from a buffer. */
  drawIndexedIndirect: { scope: 'render passes and bundles', isDraw: true, ...indirect },
  /** So many workgroups in each direction. */
  dispatch: {
    scope: 'compute passes',
    fields: { x: word(), y: { ...word(), default: 1 }, z: { ...word(), default: 1 } },
    call: call<(x: number, y?: number, z?: number) => void>(),
  },
  /** The three fields of `dispatch`, as u32, from a buffer. */
  dispatchIndirect: { scope: 'compute passes', ...indirect },

  // Queries and debugging.
  /** Counts samples that pass, into this query of the pass's `occlusionQuerySet`. */
  beginOcclusionQuery: {
    scope: 'render passes',
    fields: { index: word() },
    call: call<(index: number) => void>(),
  },
  /** Ends the query. */
  endOcclusionQuery: { scope: 'render passes', fields: {}, call: call<() => void>() },
  /** Writes results as u64 each: samples, or nanoseconds. The target offset is a multiple of 256. */
  resolveQuerySet: {
    scope: 'outside passes',
    fields: {
      querySet: handle('querySet'),
      firstQuery: word(),
      queryCount: word(),
      target: changedBuffer('queryResolve', { from: 'targetByteOffset' }),
      targetByteOffset: word({ multipleOf: 256 }),
    },
    call: call<
      (
        querySet: QuerySetHandle,
        firstQuery: number,
        queryCount: number,
        target: BufferHandle,
        targetByteOffset: number,
      ) => void
    >(),
  },
  /** Names what follows, to `popDebugGroup`, in GPU debuggers and traces. */
  pushDebugGroup: { scope: 'anywhere and bundles', ...labelled },
  /** Ends the group opened last. */
  popDebugGroup: { scope: 'anywhere and bundles', fields: {}, call: call<() => void>() },
  /** A name at this place, in GPU debuggers and traces. */
  insertDebugMarker: { scope: 'anywhere and bundles', ...labelled },
  /** Stops a debugger on the device's thread, where one is attached. */
  debugBreak: { scope: 'anywhere', fields: {}, call: call<() => void>() },
  /** Forgets what is known to be set: the next state is set anew, though it be the same. */
  invalidateCachedState: { scope: 'anywhere', fields: {}, call: call<() => void>() },
  /** Nothing pending uses the resource: the destroy that comes next frees it at once (M3). */
  assumeNotInUse: { scope: 'anywhere', context: 'immediate', fields: { handle: anyHandle() } },

  // Draw bundles.
  /**
   * Draws that stay the same, with the state they need: records of this table, which are checked here and executed by
   * `executeDrawBundle`. State, draws, debug groups and markers only.
   */
  createDrawBundle: {
    scope: 'anywhere',
    context: 'immediate',
    fields: { handle: created('drawBundle'), label: text(), commands: words() },
  },
  /** Draws a bundle in this render pass. It begins with nothing set, and leaves nothing set. */
  executeDrawBundle: {
    scope: 'render passes',
    fields: { bundle: handle('drawBundle') },
    call: call<(bundle: DrawBundleHandle) => void>(),
  },

  // Further surfaces.
  /**
   * Which surface `beginDrawingViewport` acquires from here to the frame's end: the one that was given to the executor under
   * this number; a texture that nobody sees where there is none. 0: the executor's own, as at each frame's beginning.
   */
  useSurface: {
    scope: 'outside passes',
    context: 'immediate',
    fields: { surface: word() },
    call: call<(surface: number) => void>(),
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

/** How records are encoded, and their opcodes. */
export const rhiCommands = /* @__PURE__ */ defineRecordTable('RHI commands', wireFields(commandRows));

export const RhiOpcode = rhiCommands.opcodes;

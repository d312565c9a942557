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

/** An offset or a length in bytes. */
const byteCount = word({ multipleOf: 4 });
/**
 * A number of vertices, indices or instances. A larger word comes from a negative number that a caller has passed by
 * mistake.
 */
const count = word({ most: 2 ** 31 - 1 });
/** Field and method of a command whose text is shown in traces and GPU debuggers. */
const labelled = { fields: { label: text() }, call: call<(label: string) => void>() } as const;
const ofFence = {
  scope: 'outside passes',
  endsSubmission: true,
  fields: { fence: handle('fence'), value: fenceValue() },
  call: call<(fence: FenceHandle, value: number | bigint) => void>(),
} as const;
/** Fields and method of draws and dispatches whose counts are read from a buffer. */
const indirect = {
  fields: { buffer: handle('buffer', 'indirect'), byteOffset: byteCount },
  call: call<(buffer: BufferHandle, byteOffset: number) => void>(),
} as const;

/** Returns the row of a command that creates a resource from its descriptor. */
const creation = <Kind extends keyof Descriptors>(kind: Kind) =>
  ({
    scope: 'anywhere',
    context: 'immediate',
    fields: { handle: created(kind), descriptor: json(kindName(kind) as DescribedKind) },
    call: call<(descriptor: Descriptors[Kind]) => Handle<Kind>>(),
  }) as const;

/**
 * The RHI's commands. Types, context methods, checks, traces, histograms and the documentation derive from this one
 * table (SYSTEMS H1, table C). `fields.ts` and `command-rows.ts` explain the annotations. Contexts get a generated
 * method for each row with `call`; commands without it have hand-written methods. The order of the rows fixes the
 * opcodes.
 */
export const commandRows = {
  // Frames and the viewport.
  /** Begins the list of a frame. Frame numbers rise, by 1 or more. `flags` has bits of `FrameFlag`. */
  beginFrame: { scope: 'outside passes', fields: { frame: word(), flags: word() } },
  /** Ends the frame's list: the executor submits and numbers it, and starts its read-backs. */
  endFrame: { scope: 'outside passes', fields: { frame: word() } },
  /** Begins the commands of one scene. Traces show them under this name. */
  beginScene: { scope: 'outside passes', context: 'immediate', ...labelled },
  /** Ends the scene that `beginScene` began. */
  endScene: { scope: 'outside passes', context: 'immediate', fields: {}, call: call<() => void>() },
  /** Acquires the surface's texture under the handle `target`, which is valid until `endDrawingViewport`. */
  beginDrawingViewport: {
    scope: 'outside passes',
    context: 'immediate',
    fields: { target: created('texture'), width: word(), height: word() },
  },
  /** Ends the use of the surface's texture. The picture is shown once the frame is submitted. */
  endDrawingViewport: {
    scope: 'outside passes',
    context: 'immediate',
    fields: { target: handle('texture') },
  },
  /**
   * Passes this frame's picture to `onVideoFrame` once the frame is submitted, with this time stamp in microseconds.
   */
  outputVideoFrame: {
    scope: 'anywhere',
    context: 'immediate',
    fields: { request: word(), timestamp: double() },
    call: call<(request: number, timestamp: number) => void>(),
  },
  /**
   * Assigns the commands that follow to this queue (`QueueHint`). Validation checks it, and the timeline shows it (H6).
   */
  setQueue: {
    scope: 'outside passes',
    fields: { queue: word({ most: QueueHint.copy }) },
  },

  // Resources. Destroys are commands of the list, so they follow the last use.
  /** Creates a buffer from a `BufferDescriptor`. The contents are zeros. */
  createBuffer: creation('buffer'),
  /**
   * Creates a texture from a `TextureDescriptor`. The contents are zeros. Commands that need a view of the texture
   * contain a `TextureViewDescriptor`.
   */
  createTexture: creation('texture'),
  /** Creates a sampler from a `SamplerDescriptor`. */
  createSampler: creation('sampler'),
  /**
   * Creates a shader module from WGSL. Errors are reported with line and column. After a line `//# name`, lines are
   * counted from there, and errors include the name. Commands that use a module with errors are skipped.
   */
  createShaderModule: {
    scope: 'anywhere',
    context: 'immediate',
    fields: { handle: created('shaderModule'), label: text(), code: text() },
    call: call<(descriptor: Descriptors['shaderModule']) => Handle<'shaderModule'>>(),
  },
  /** Creates a bind group layout from a `BindGroupLayoutDescriptor`. */
  createBindGroupLayout: creation('bindGroupLayout'),
  /** Creates a bind group from a `BindGroupDescriptor`. */
  createBindGroup: creation('bindGroup'),
  /**
   * Creates a pipeline from a `GraphicsPipelineDescriptor`, in the background. Draws are skipped and counted until it
   * is ready. If it fails, they use its `fallback`.
   */
  createGraphicsPipeline: creation('graphicsPipeline'),
  /**
   * Creates a pipeline from a `ComputePipelineDescriptor`, in the background. Dispatches are skipped and counted until
   * it is ready.
   */
  createComputePipeline: creation('computePipeline'),
  /** Creates a query set from a `QuerySetDescriptor`. */
  createQuerySet: creation('querySet'),
  /** Creates a fence for `signalFence` and `waitFence`, with its initial value. */
  createFence: {
    scope: 'anywhere',
    context: 'immediate',
    fields: { handle: created('fence'), initialValue: fenceValue(), label: text() },
    parameters: ['label', 'initialValue'],
  },
  /** Destroys a resource. No later command may use it. It is freed when the GPU has finished this list. */
  destroyResource: { scope: 'anywhere', context: 'immediate', fields: { handle: anyHandle() } },

  // Data.
  /** Writes bytes. Offset and length are multiples of 4. */
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
   * Writes bytes like `writeBuffer`, also inside passes, but before the commands of its list. Use it only for ranges
   * that no pending command reads. The map modes write-discard and write-no-overwrite use it (M1).
   */
  writeBufferUnordered: {
    scope: 'anywhere',
    fields: { buffer: handle('buffer', 'copyTarget'), byteOffset: byteCount, data: bytes() },
    call: call<(buffer: BufferHandle, byteOffset: number, data: Uint8Array) => void>(),
  },
  /** Gives the buffer new, zeroed memory of the same size. Commands recorded earlier still use the old memory (M1). */
  renameBuffer: {
    scope: 'anywhere',
    fields: { buffer: handle('buffer') },
    call: call<(buffer: BufferHandle) => void>(),
  },
  /** Writes a part of an ArrayBuffer. The ArrayBuffer is transferred beside the stream, so it is empty afterwards. */
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
  /** Writes texels, in the layout that the region (`TextureRegion`) describes. */
  writeTexture: {
    scope: 'outside passes',
    fields: { texture: handle('texture', 'copyTarget'), region: json('texture region'), data: bytes() },
  },
  /** Writes texels from an ArrayBuffer. The ArrayBuffer is transferred beside the stream, so it is empty afterwards. */
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
  /** Copies an ImageBitmap, which is closed after the copy. The texture also needs the usage `renderAttachment`. */
  copyExternalImage: {
    scope: 'outside passes',
    fields: {
      source: beside('ImageBitmap'),
      texture: handle('texture', 'copyTarget'),
      region: json('texture region'),
    },
    call: call<(source: ImageBitmap, texture: TextureHandle, region: TextureRegion) => void>(),
  },
  /** Fills a range with zeros. Offset and length are multiples of 4. */
  clearBuffer: {
    scope: 'outside passes',
    fields: {
      buffer: changedBuffer('copyTarget', { from: 'byteOffset', length: 'byteLength' }),
      byteOffset: byteCount,
      byteLength: byteCount,
    },
    call: call<(buffer: BufferHandle, byteOffset: number, byteLength: number) => void>(),
  },
  /** Clears a part of a texture to a value (`TextureClear`). Default: all of the texture, to zeros. */
  clearTexture: {
    scope: 'outside passes',
    fields: { texture: handle('texture'), clear: { ...json('texture clear'), default: {} } },
    call: call<(texture: TextureHandle, clear?: TextureClear) => void>(),
  },
  /**
   * Copies between two buffers, or between two ranges of one buffer that do not overlap. Offsets and length are
   * multiples of 4.
   */
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
  /** Copies texels as the region (`TextureRegion`) describes. `bytesPerRow` is a multiple of 256. */
  copyBufferToTexture: {
    scope: 'outside passes',
    fields: {
      source: handle('buffer', 'copySource'),
      target: handle('texture', 'copyTarget'),
      region: json('texture region'),
    },
    call: call<(source: BufferHandle, target: TextureHandle, region: TextureRegion) => void>(),
  },
  /** Copies texels as the region (`TextureRegion`) describes. `bytesPerRow` is a multiple of 256. */
  copyTextureToBuffer: {
    scope: 'outside passes',
    fields: {
      source: handle('texture', 'copySource'),
      target: changedBuffer('copyTarget', {}),
      region: json('texture region'),
    },
    call: call<(source: TextureHandle, target: BufferHandle, region: TextureRegion) => void>(),
  },
  /**
   * Copies texels from the region's `sourceOrigin` and `sourceMipLevel` to its `origin` and `mipLevel`, unconverted.
   */
  copyTextureToTexture: {
    scope: 'outside passes',
    fields: {
      source: handle('texture', 'copySource'),
      target: handle('texture', 'copyTarget'),
      region: json('texture region'),
    },
    call: call<(source: TextureHandle, target: TextureHandle, region: TextureRegion) => void>(),
  },
  /**
   * Passes a buffer's bytes to `onReadback` under `request`, once the GPU has written them. Offset and length are
   * multiples of 4.
   */
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
   * Declares a change of use: `before` for earlier commands, `after` for later ones (bits of `BufferUsage` or
   * `TextureUsage`). WebGPU makes its own barriers; validation compares the declaration with the real use.
   */
  transition: {
    scope: 'anywhere',
    fields: { resource: anyHandle('buffer', 'texture'), before: word(), after: word() },
    call: call<(resource: BufferHandle | TextureHandle, before: number, after: number) => void>(),
  },

  // Order. Each of these three commands first submits everything recorded so far. A fence's value only rises.
  /** Sets the fence to a whole value below 2^64 − 1, once the GPU has finished all commands before this one. */
  signalFence: ofFence,
  /** Delays the commands that follow until the fence has reached the value. No thread is blocked. */
  waitFence: ofFence,
  /** Runs the function registered under this name on the device's thread, with a copy of the bytes. */
  localCommand: {
    scope: 'anywhere',
    endsSubmission: true,
    fields: { name: text(), data: { ...bytes(), default: new Uint8Array(0) } },
    call: call<(name: string, data?: Uint8Array) => void>(),
  },

  // Passes.
  /**
   * Begins a render pass. Its `RenderPassDescriptor` has the attachments, with load and store operations, and optional
   * queries.
   */
  beginRenderPass: {
    scope: 'outside passes',
    queue: 'graphics',
    fields: { descriptor: { ...json('render pass'), isKept: true } },
    call: call<(descriptor: RenderPassDescriptor) => void>(),
  },
  /** Ends the render pass and resolves its multisampled attachments. */
  endRenderPass: { scope: 'render passes', fields: {}, call: call<() => void>() },
  /** Begins a compute pass (`ComputePassDescriptor`). */
  beginComputePass: {
    scope: 'outside passes',
    queue: 'compute',
    fields: { descriptor: { ...json('compute pass'), isKept: true } },
    call: call<(descriptor: ComputePassDescriptor) => void>(),
  },
  /** Ends the compute pass. */
  endComputePass: { scope: 'compute passes', fields: {}, call: call<() => void>() },

  // State.
  /** Sets the pipeline of the draws that follow in this pass. */
  setGraphicsPipeline: {
    scope: 'render passes and bundles',
    isHot: true,
    fields: { pipeline: handle('graphicsPipeline') },
  },
  /** Sets the pipeline of the dispatches that follow in this pass. */
  setComputePipeline: {
    scope: 'compute passes',
    fields: { pipeline: handle('computePipeline') },
    call: call<(pipeline: ComputePipelineHandle) => void>(),
  },
  /**
   * Sets a bind group. `index` is its number in the shader. `dynamicOffsets` has the byte offset of each dynamic
   * binding.
   */
  setBindGroup: {
    scope: 'passes and bundles',
    isHot: true,
    fields: { index: word(), bindGroup: handle('bindGroup'), dynamicOffsets: words() },
  },
  /** Sets a vertex buffer. `slot` is the index in the pipeline's `vertex.buffers`. */
  setVertexBuffer: {
    scope: 'render passes and bundles',
    isHot: true,
    fields: { slot: word(), buffer: handle('buffer', 'vertex'), byteOffset: byteCount, byteLength: word() },
  },
  /** Sets the index buffer. `format`: 0 is uint16, 1 is uint32. */
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
  /** Sets the viewport, in pixels from the top left. Its depths lie between 0 and 1. */
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
  /**
   * Sets the scissor rectangle, in pixels from the top left. Nothing is drawn outside it. It has to lie inside the
   * attachments.
   */
  setScissorRect: {
    scope: 'render passes',
    fields: { x: word(), y: word(), width: word(), height: word() },
    call: call<(x: number, y: number, width: number, height: number) => void>(),
  },
  /** Sets the value that stencil tests compare with. A pass begins with 0. */
  setStencilRef: {
    scope: 'render passes',
    fields: { reference: word() },
    call: call<(reference: number) => void>(),
  },
  /** Sets the constant of the blend factors `constant` and `one-minus-constant`. A pass begins with zeros. */
  setBlendFactor: {
    scope: 'render passes',
    fields: { red: float(), green: float(), blue: float(), alpha: float() },
    call: call<(red: number, green: number, blue: number, alpha: number) => void>(),
  },

  // Work.
  /** Draws instances of `vertexCount` vertices each. */
  draw: {
    scope: 'render passes and bundles',
    isHot: true,
    isDraw: true,
    fields: { vertexCount: count, instanceCount: count, firstVertex: count, firstInstance: count },
  },
  /** Draws instances of `indexCount` indices each; `baseVertex` is added to each index. */
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
  /** Draws with the four fields of `draw`, as u32, read from a buffer. */
  drawIndirect: { scope: 'render passes and bundles', isDraw: true, ...indirect },
  /** Draws with the five fields of `drawIndexed`, 32 bits each, read from a buffer. */
  drawIndexedIndirect: { scope: 'render passes and bundles', isDraw: true, ...indirect },
  /** Starts this number of workgroups in each direction. */
  dispatch: {
    scope: 'compute passes',
    fields: { x: word(), y: { ...word(), default: 1 }, z: { ...word(), default: 1 } },
    call: call<(x: number, y?: number, z?: number) => void>(),
  },
  /** Starts workgroups with the three fields of `dispatch`, as u32, read from a buffer. */
  dispatchIndirect: { scope: 'compute passes', ...indirect },

  // Queries and debugging.
  /**
   * Begins to count the samples that pass all tests. The query with this index in the pass's `occlusionQuerySet` gets
   * the count.
   */
  beginOcclusionQuery: {
    scope: 'render passes',
    fields: { index: word() },
    call: call<(index: number) => void>(),
  },
  /** Ends the occlusion query. */
  endOcclusionQuery: { scope: 'render passes', fields: {}, call: call<() => void>() },
  /**
   * Writes the results of queries into a buffer as u64: numbers of samples, or nanoseconds. The target offset is a
   * multiple of 256.
   */
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
  /** Groups the commands up to the matching `popDebugGroup` under a name. GPU debuggers and traces show the name. */
  pushDebugGroup: { scope: 'anywhere and bundles', ...labelled },
  /** Ends the innermost debug group. */
  popDebugGroup: { scope: 'anywhere and bundles', fields: {}, call: call<() => void>() },
  /** Marks this point between commands with a name. GPU debuggers and traces show the name. */
  insertDebugMarker: { scope: 'anywhere and bundles', ...labelled },
  /** Stops the device's thread in its debugger, if one is attached. */
  debugBreak: { scope: 'anywhere', fields: {}, call: call<() => void>() },
  /** Forgets the cached state: the next state command is executed even if it sets the same value. */
  invalidateCachedState: { scope: 'anywhere', fields: {}, call: call<() => void>() },
  /** Promises that no pending command uses the resource. The destroy that follows then frees it at once (M3). */
  assumeNotInUse: { scope: 'anywhere', context: 'immediate', fields: { handle: anyHandle() } },

  // Draw bundles.
  /**
   * Creates a bundle of draws that stay the same, with the state that they need. The bundle holds records of this
   * table: state, draws, debug groups and markers. The recorder checks these records, and `executeDrawBundle` executes
   * them.
   */
  createDrawBundle: {
    scope: 'anywhere',
    context: 'immediate',
    fields: { handle: created('drawBundle'), label: text(), commands: words() },
  },
  /**
   * Executes a bundle in this render pass. No pipeline, bind group or buffer is set at the bundle's start, nor after
   * its end.
   */
  executeDrawBundle: {
    scope: 'render passes',
    fields: { bundle: handle('drawBundle') },
    call: call<(bundle: DrawBundleHandle) => void>(),
  },

  // Further surfaces.
  /**
   * Selects the surface that `beginDrawingViewport` acquires, until the frame ends. `surface` is the number under which
   * the executor received the surface. 0 is the executor's own surface, with which every frame begins. An unknown
   * number draws to an invisible texture.
   */
  useSurface: {
    scope: 'outside passes',
    context: 'immediate',
    fields: { surface: word() },
    call: call<(surface: number) => void>(),
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

/** Encoding of the records, and their opcodes. */
export const rhiCommands = /* @__PURE__ */ defineRecordTable('RHI commands', wireFields(commandRows));

export const RhiOpcode = rhiCommands.opcodes;

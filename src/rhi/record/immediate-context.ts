/**
 * The immediate context: the one place that creates and destroys handles, frames the lists and publishes
 * them. A resource may be used in the very next call after its `create…`; the executor constructs it when it
 * reaches that record, always before the use. A destroy travels in the stream too, so it can't overtake the
 * last use, and is legal right after it (SYSTEMS L3).
 *
 *   createBuffer ─► handle        beginFrame N … passes … endFrame N        publish
 *        └── record ──────────────── records, in order ───────────────────────┴──► executor
 */

import { writeDouble } from '../../core/double-words.js';
import type { StreamWriter } from '../../core/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import type {
  BindGroupDescriptor,
  BindGroupHandle,
  BindGroupLayoutDescriptor,
  BindGroupLayoutHandle,
  BufferDescriptor,
  BufferHandle,
  ComputePipelineDescriptor,
  ComputePipelineHandle,
  FenceHandle,
  GraphicsPipelineDescriptor,
  GraphicsPipelineHandle,
  QuerySetDescriptor,
  QuerySetHandle,
  ResourceHandle,
  SamplerDescriptor,
  SamplerHandle,
  ShaderModuleDescriptor,
  ShaderModuleHandle,
  TextureDescriptor,
  TextureHandle,
} from '../commands/descriptors.js';
import { HandleAllocator, ResourceKind } from '../commands/handles.js';
import { encodeJson, encodeText, writeRecord } from '../commands/record-fields.js';
import { CommandContext } from './command-context.js';

export interface ImmediateContextOptions {
  /** Frames the GPU may be behind; decides when a handle's slot is re-used. */
  readonly maxFramesInFlight: number;
}

export class ImmediateContext extends CommandContext {
  readonly handles: HandleAllocator;
  readonly maxFramesInFlight: number;
  /** Largest buffer that the device binds whole; until that is known, what every WebGPU device allows. */
  maximumBindingBytes = 2 ** 27;
  #frame = 0;

  constructor(writer: StreamWriter, { maxFramesInFlight }: ImmediateContextOptions) {
    super(writer);
    this.maxFramesInFlight = maxFramesInFlight;
    this.handles = new HandleAllocator(maxFramesInFlight);
  }

  // Frames

  /** @param flags bits of `FrameFlag` */
  beginFrame(frame: number, flags = 0): void {
    this.#frame = frame;
    this.handles.beginFrame(frame);
    const index = this.writer.reserve(RhiOpcode.beginFrame, 2);
    this.writer.words[index] = frame;
    this.writer.words[index + 1] = flags;
  }

  /** Ends the frame's list: the executor submits and numbers it. */
  endFrame(): void {
    const index = this.writer.reserve(RhiOpcode.endFrame, 1);
    this.writer.words[index] = this.#frame;
  }

  /** Passes all records so far to the executor. */
  publish(): void {
    this.writer.publish();
  }

  /** A handle for `beginDrawingViewport`. It costs nothing, lasts until `destroy`, and names no texture in between. */
  createViewportTarget(label: string): TextureHandle {
    return this.handles.allocate(ResourceKind.texture, label) as TextureHandle;
  }

  /** From here to `endDrawingViewport`, `target` names the surface's texture. Size in physical pixels. */
  beginDrawingViewport(target: TextureHandle, width: number, height: number): void {
    const index = this.writer.reserve(RhiOpcode.beginDrawingViewport, 3);
    const { words } = this.writer;
    words[index] = target;
    words[index + 1] = width;
    words[index + 2] = height;
  }

  endDrawingViewport(target: TextureHandle): void {
    const index = this.writer.reserve(RhiOpcode.endDrawingViewport, 1);
    this.writer.words[index] = target;
  }

  /** Marks what belongs to one scene, for traces. */
  beginScene(label: string): void {
    writeRecord(this.writer, RhiOpcode.beginScene, [], [encodeText(label)]);
  }

  endScene(): void {
    this.writer.reserve(RhiOpcode.endScene, 0);
  }

  /** The frame's picture arrives as `onVideoFrame(request, frame)`. @param timestamp microseconds */
  outputVideoFrame(request: number, timestamp: number): void {
    const index = this.writer.reserve(RhiOpcode.outputVideoFrame, 3);
    this.writer.words[index] = request;
    writeDouble(this.writer.words, index + 1, timestamp);
  }

  // Resources

  /** Its contents are zeros. Usable at once, as everything that is created. */
  createBuffer(descriptor: BufferDescriptor): BufferHandle {
    return this.#create(ResourceKind.buffer, RhiOpcode.createBuffer, descriptor) as BufferHandle;
  }

  /** Its contents are zeros. Views are described where they are used. */
  createTexture(descriptor: TextureDescriptor): TextureHandle {
    return this.#create(ResourceKind.texture, RhiOpcode.createTexture, descriptor) as TextureHandle;
  }

  /** WebGPU's own fields and defaults. */
  createSampler(descriptor: SamplerDescriptor): SamplerHandle {
    return this.#create(ResourceKind.sampler, RhiOpcode.createSampler, descriptor) as SamplerHandle;
  }

  /** An error in the WGSL comes to `onError` with line and column; pipelines made of it draw nothing. */
  createShaderModule({ label, code }: ShaderModuleDescriptor): ShaderModuleHandle {
    const handle = this.handles.allocate(ResourceKind.shaderModule, label);
    writeRecord(this.writer, RhiOpcode.createShaderModule, [handle], [encodeText(label), encodeText(code)]);
    return handle as ShaderModuleHandle;
  }

  /** Which bindings a group has and which shader stages see them. */
  createBindGroupLayout(descriptor: BindGroupLayoutDescriptor): BindGroupLayoutHandle {
    return this.#create(
      ResourceKind.bindGroupLayout,
      RhiOpcode.createBindGroupLayout,
      descriptor,
    ) as BindGroupLayoutHandle;
  }

  /** Resources for the bindings of a layout. Destroy it before or after them; it keeps none alive. */
  createBindGroup(descriptor: BindGroupDescriptor): BindGroupHandle {
    return this.#create(ResourceKind.bindGroup, RhiOpcode.createBindGroup, descriptor) as BindGroupHandle;
  }

  /** Made in the background; until it is ready its draws are left out and counted. */
  createGraphicsPipeline(descriptor: GraphicsPipelineDescriptor): GraphicsPipelineHandle {
    return this.#create(
      ResourceKind.graphicsPipeline,
      RhiOpcode.createGraphicsPipeline,
      descriptor,
    ) as GraphicsPipelineHandle;
  }

  /** As `createGraphicsPipeline`, for dispatches. */
  createComputePipeline(descriptor: ComputePipelineDescriptor): ComputePipelineHandle {
    return this.#create(
      ResourceKind.computePipeline,
      RhiOpcode.createComputePipeline,
      descriptor,
    ) as ComputePipelineHandle;
  }

  /** Timestamps need the device's feature `timestamp-query`; `QueryReadback` does without where it is missing. */
  createQuerySet(descriptor: QuerySetDescriptor): QuerySetHandle {
    return this.#create(ResourceKind.querySet, RhiOpcode.createQuerySet, descriptor) as QuerySetHandle;
  }

  /** A fence that commands signal and wait for. Its value only rises. */
  createFence(label: string, initialValue = 0): FenceHandle {
    const handle = this.handles.allocate(ResourceKind.fence, label);
    const value = new Uint32Array(2);
    writeDouble(value, 0, initialValue);
    writeRecord(this.writer, RhiOpcode.createFence, [handle, ...value], [encodeText(label)]);
    return handle as FenceHandle;
  }

  /**
   * @param handle nothing happens where there is none
   * @throws RhiError `stale-handle`, with the debug label, when it was destroyed before
   */
  destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined) return;
    this.handles.free(handle);
    const index = this.writer.reserve(RhiOpcode.destroyResource, 1);
    this.writer.words[index] = handle;
  }

  #create(kind: ResourceKind, opcode: number, descriptor: { readonly label: string }): number {
    const handle = this.handles.allocate(kind, descriptor.label);
    writeRecord(this.writer, opcode, [handle], [encodeJson(descriptor)]);
    return handle;
  }
}

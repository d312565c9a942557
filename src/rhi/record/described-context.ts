/**
 * An immediate context that knows what its resources are: it looks at each descriptor, compares it with the device's
 * limits, and keeps it while the resource lives.
 *
 *   createBuffer({ label, byteLength, usage }) ─► has it all? within limits? ─► record
 *                                                        └► kept: descriptorOf, lengths to a buffer's end
 */
import { checkOptionNames } from '../../core/option-names.js';
import type { StreamWriter } from '../../core/stream.js';
import type {
  BindGroupDescriptor,
  BindGroupHandle,
  BindGroupLayoutDescriptor,
  BindGroupLayoutHandle,
  BufferDescriptor,
  BufferHandle,
  ComputePipelineDescriptor,
  ComputePipelineHandle,
  DrawBundleDescriptor,
  DrawBundleHandle,
  FenceHandle,
  GraphicsPipelineDescriptor,
  GraphicsPipelineHandle,
  QuerySetDescriptor,
  QuerySetHandle,
  ResourceHandle,
  RhiCapabilities,
  SamplerDescriptor,
  SamplerHandle,
  ShaderModuleDescriptor,
  ShaderModuleHandle,
  TextureDescriptor,
  TextureHandle,
} from '../commands/descriptors.js';
import { TextureUsage } from '../commands/descriptors.js';
import { ResourceKind } from '../commands/handles.js';
import { checkLimits, type LimitedDescriptors } from '../commands/limits.js';
import { checkFenceValue } from '../host/fence-table.js';
import {
  checkFinite,
  checkFunction,
  checkHandle,
  checkIndexFormat,
  checkText,
  checkWord,
  checkWriter,
} from './call-checks.js';
import { CheckedImmediateContext } from './checked-calls.js';
import { checkDescriptor } from './descriptor-checks.js';
import { type DrawRecorder, recordBundle, writeBundle, writeExecution } from './draw-bundle.js';
import type { ImmediateContextOptions } from './immediate-context.js';
import { checkFramesInFlight } from './rhi-options.js';

export interface DescribedContextOptions extends ImmediateContextOptions {
  /** With it, a `create…` beyond the device's limits throws `limit-exceeded`; without, execution finds it. */
  readonly capabilities?: Pick<RhiCapabilities, 'limits'> & Partial<Pick<RhiCapabilities, 'surfaceFormat'>>;
}

export class DescribedContext extends CheckedImmediateContext {
  readonly #capabilities: DescribedContextOptions['capabilities'];
  /** Of live buffers and textures. */
  readonly #descriptors = new Map<number, BufferDescriptor | TextureDescriptor>();
  readonly #layouts = new Map<number, BindGroupLayoutDescriptor>();

  /** @throws OptionError `option-invalid`, `option-unknown`; RhiError `bad-frames-in-flight` */
  constructor(writer: StreamWriter, options: DescribedContextOptions) {
    checkWriter('the context', writer);
    checkOptionNames('An immediate context', options, 'maxFramesInFlight, capabilities, label');
    checkFramesInFlight(options.maxFramesInFlight);
    super(writer, options);
    this.#capabilities = options.capabilities;
  }

  // Vertices and indices

  /**
   * @param slot index in the pipeline's `vertex.buffers`
   * @param byteOffset a multiple of 4
   * @param byteLength default: to the buffer's end
   */
  override setVertexBuffer(
    slot: number,
    buffer: BufferHandle,
    byteOffset = 0,
    byteLength = this.#bytesFrom(buffer, byteOffset),
  ): void {
    super.setVertexBuffer(slot, buffer, byteOffset, byteLength);
  }

  /**
   * @param byteOffset a multiple of the index's size
   * @param byteLength default: to the buffer's end
   */
  override setIndexBuffer(
    buffer: BufferHandle,
    format: 'uint16' | 'uint32',
    byteOffset = 0,
    byteLength = this.#bytesFrom(buffer, byteOffset),
  ): void {
    checkIndexFormat(format);
    super.setIndexBuffer(buffer, format, byteOffset, byteLength);
  }

  // Draw bundles

  /**
   * Draws that stay the same, recorded once: `executeDrawBundle` then costs about one draw, whatever it holds.
   * Resources that it names may be destroyed or renamed; a draw that lacks one is left out and counted.
   * @param record told the draws at once, as in a render pass in which nothing is set: pipeline, bind groups, vertex
   *   and index buffers, draws, debug groups and markers
   * @throws RhiError `bundle-command` for another command, `bundle-debug-group`, `bundle-too-large`, `bad-descriptor`;
   *   what `record` throws
   * @example
   * const trees = context.createDrawBundle({ label: 'trees' }, (draws) => {
   *   draws.setGraphicsPipeline(pipeline);
   *   draws.setVertexBuffer(0, vertices);
   *   draws.draw(36, 5000);
   * });
   */
  createDrawBundle(
    descriptor: DrawBundleDescriptor,
    record: (draws: DrawRecorder) => void,
  ): DrawBundleHandle {
    checkDescriptor('draw bundle', descriptor);
    const { label } = descriptor;
    checkFunction(`createDrawBundle of "${label}"`, 'its recording', record);
    const commands = recordBundle(label, record, (buffer, byteOffset) => this.#bytesFrom(buffer, byteOffset));
    const handle = this.handles.allocate(ResourceKind.drawBundle, label);
    writeBundle(this.writer, handle, label, commands);
    return handle as DrawBundleHandle;
  }

  /**
   * Draws a bundle in a render pass whose attachments have the formats of its pipelines. Viewport, scissor rectangle,
   * blend constant and stencil reference are the pass's; of the rest nothing is set before it, nor after.
   */
  executeDrawBundle(bundle: DrawBundleHandle): void {
    writeExecution(this.writer, bundle);
  }

  // Descriptors and limits: each `create…` throws RhiError `bad-descriptor` and, with capabilities, `limit-exceeded`.

  override createBuffer(descriptor: BufferDescriptor): BufferHandle {
    checkDescriptor('buffer', descriptor);
    this.#checkLimits('buffer', descriptor);
    const buffer = super.createBuffer(descriptor);
    this.#descriptors.set(buffer, descriptor);
    return buffer;
  }

  override createTexture(descriptor: TextureDescriptor): TextureHandle {
    checkDescriptor('texture', descriptor);
    this.#checkLimits('texture', descriptor);
    const texture = super.createTexture(descriptor);
    this.#descriptors.set(texture, descriptor);
    return texture;
  }

  override createSampler(descriptor: SamplerDescriptor): SamplerHandle {
    checkDescriptor('sampler', descriptor);
    return super.createSampler(descriptor);
  }

  override createShaderModule(descriptor: ShaderModuleDescriptor): ShaderModuleHandle {
    checkDescriptor('shader module', descriptor);
    return super.createShaderModule(descriptor);
  }

  override createBindGroupLayout(descriptor: BindGroupLayoutDescriptor): BindGroupLayoutHandle {
    checkDescriptor('bind group layout', descriptor);
    this.#checkLimits('bindGroupLayout', descriptor);
    const layout = super.createBindGroupLayout(descriptor);
    this.#layouts.set(layout, descriptor);
    return layout;
  }

  override createBindGroup(descriptor: BindGroupDescriptor): BindGroupHandle {
    checkDescriptor('bind group', descriptor);
    this.#checkLimits('bindGroup', descriptor);
    return super.createBindGroup(descriptor);
  }

  override createGraphicsPipeline(descriptor: GraphicsPipelineDescriptor): GraphicsPipelineHandle {
    checkDescriptor('graphics pipeline', descriptor);
    this.#checkLimits('graphicsPipeline', descriptor);
    return super.createGraphicsPipeline(descriptor);
  }

  override createComputePipeline(descriptor: ComputePipelineDescriptor): ComputePipelineHandle {
    checkDescriptor('compute pipeline', descriptor);
    this.#checkLimits('computePipeline', descriptor);
    return super.createComputePipeline(descriptor);
  }

  /**
   * @param initialValue whole, 0 to 2^53 − 1
   * @throws RhiError `bad-fence-value`
   */
  override createFence(label: string, initialValue = 0): FenceHandle {
    checkText('createFence', 'the label', label);
    checkFenceValue(initialValue, label);
    return super.createFence(label, initialValue);
  }

  override createQuerySet(descriptor: QuerySetDescriptor): QuerySetHandle {
    checkDescriptor('query set', descriptor);
    this.#checkLimits('querySet', descriptor);
    return super.createQuerySet(descriptor);
  }

  /** @throws RhiError `bad-argument` for what is no handle, `stale-handle` */
  override destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined) return;
    checkHandle('destroy', 'the resource', handle);
    super.destroy(handle);
    this.forget(handle);
  }

  /** It is destroyed, or will be. */
  protected forget(handle: ResourceHandle): void {
    this.#descriptors.delete(handle);
    this.#layouts.delete(handle);
  }

  override beginDrawingViewport(target: TextureHandle, width: number, height: number): void {
    checkHandle('beginDrawingViewport', 'the target', target);
    checkWord('beginDrawingViewport', 'the width', width);
    checkWord('beginDrawingViewport', 'the height', height);
    super.beginDrawingViewport(target, width, height);
    const format = this.#capabilities?.surfaceFormat;
    if (format === undefined) return;
    const usage = TextureUsage.renderAttachment | TextureUsage.copySource;
    this.#descriptors.set(target, { label: this.handles.label(target), width, height, format, usage });
  }

  override beginScene(label: string): void {
    checkText('beginScene', 'the scene’s label', label);
    super.beginScene(label);
  }

  override outputVideoFrame(request: number, timestamp: number): void {
    checkWord('outputVideoFrame', 'the request', request);
    checkFinite('outputVideoFrame', 'the timestamp', timestamp);
    super.outputVideoFrame(request, timestamp);
  }

  override createViewportTarget(label: string): TextureHandle {
    checkText('createViewportTarget', 'the label', label);
    return super.createViewportTarget(label);
  }

  override endDrawingViewport(target: TextureHandle): void {
    super.endDrawingViewport(target);
    this.#descriptors.delete(target);
  }

  /**
   * What a live buffer or texture was created with; of a viewport’s target, between begin and end, what the surface
   * has. Undefined: not created by this context.
   */
  descriptorOf(handle: BufferHandle): BufferDescriptor | undefined;
  descriptorOf(handle: TextureHandle): TextureDescriptor | undefined;
  descriptorOf(handle: number): BufferDescriptor | TextureDescriptor | undefined {
    return this.#descriptors.get(handle);
  }

  /** Per draw, where no length is given. */
  #bytesFrom(buffer: BufferHandle, byteOffset: number): number {
    const { byteLength = 0 } = this.descriptorOf(buffer) ?? {};
    if (byteLength === 0) this.handles.check(buffer, 'be bound');
    return Math.max(0, byteLength - byteOffset);
  }

  #checkLimits<Kind extends keyof LimitedDescriptors>(
    kind: Kind,
    descriptor: LimitedDescriptors[Kind],
  ): void {
    if (this.#capabilities === undefined) return;
    checkLimits(kind, descriptor, this.#capabilities, (layout) => this.#layouts.get(layout));
  }
}

/**
 * The immediate context with all that a renderer's own frame does not need: deferred lists, listeners at the frame's
 * end, and checks of what it is given. `fencepost/rhi` exports it as `ImmediateContext`; the engine's worker carries the small one.
 *
 *   beginFrame N ─ openSubList ─ … ─ executeSubLists ─ … ─ endFrame N ─► listeners, which may still record
 *                       │                  ▲                             lists left behind: an error
 *                       └─ other threads ──┘ records, in the given order  record endFrame N
 *
 * A frame and a list begin on the graphics queue (SYSTEMS H6).
 */
import { RhiError } from '../core/errors.js';
import type { StreamWriter } from '../core/stream.js';
import { appendList, type CommandList, makeListOwner } from './command-list.js';
import { QueueHint, RhiOpcode } from './commands.js';
import { checkDescriptor, type DescribedKind } from './descriptor-checks.js';
import type {
  BindGroupDescriptor,
  BindGroupHandle,
  BindGroupLayoutDescriptor,
  BindGroupLayoutHandle,
  BufferDescriptor,
  BufferHandle,
  ComputePassDescriptor,
  ComputePipelineDescriptor,
  ComputePipelineHandle,
  DrawBundleDescriptor,
  DrawBundleHandle,
  FenceHandle,
  GraphicsPipelineDescriptor,
  GraphicsPipelineHandle,
  QuerySetDescriptor,
  QuerySetHandle,
  RenderPassDescriptor,
  ResourceHandle,
  RhiCapabilities,
  SamplerDescriptor,
  SamplerHandle,
  ShaderModuleDescriptor,
  ShaderModuleHandle,
  TextureDescriptor,
  TextureHandle,
} from './descriptors.js';
import { TextureUsage } from './descriptors.js';
import { type DrawRecorder, recordBundle, writeBundle, writeExecution } from './draw-bundle.js';
import { checkFenceValue } from './fence-table.js';
import { ResourceKind } from './handles.js';
import { ImmediateContext, type ImmediateContextOptions } from './immediate-context.js';
import { checkLimits, type LimitedDescriptors } from './limits.js';
import { listsLeftBehind, SubLists } from './sub-lists.js';

/** @param frame the one that ends; what is recorded now still belongs to it */
export type FrameListener = (frame: number) => void;

/** Where those who hold data of one frame learn that it ends (SYSTEMS L8). */
export interface FrameEnds {
  /** Calls the listener in every `endFrame`, in the order of registration. Returns what ends that. */
  onFrameFinished(listener: FrameListener): () => void;
}

export interface SubListOptions {
  /** The queue of its first command. Default: graphics. */
  readonly queue?: QueueHint;
}

export interface CompleteContextOptions extends ImmediateContextOptions {
  /** Names it in messages about its deferred lists. Default: `context 1`, and so on. */
  readonly label?: string;
  /** With it, a `create…` beyond the device's limits throws `limit-exceeded`; without, execution finds it. */
  readonly capabilities?: Pick<RhiCapabilities, 'limits'> & Partial<Pick<RhiCapabilities, 'surfaceFormat'>>;
}

export class CompleteImmediateContext extends ImmediateContext implements FrameEnds {
  readonly #frameListeners: FrameListener[] = [];
  readonly #submissionChecks: (() => void)[] = [];
  readonly #subLists: SubLists;
  readonly #capabilities: CompleteContextOptions['capabilities'];
  /** Of live buffers and textures. */
  readonly #descriptors = new Map<number, BufferDescriptor | TextureDescriptor>();
  readonly #layouts = new Map<number, BindGroupLayoutDescriptor>();
  readonly #checkedPasses = new WeakSet<object>();
  /** The one that is open, else the last one; -1: none yet. */
  #frame = -1;
  #isInFrame = false;
  #queue: QueueHint = QueueHint.graphics;

  constructor(writer: StreamWriter, options: CompleteContextOptions) {
    super(writer, options);
    this.#capabilities = options.capabilities;
    this.#subLists = new SubLists(makeListOwner(options.label));
  }

  /** @throws RhiError `frame-number`, `frame-not-ended` */
  override beginFrame(frame: number, flags = 0): void {
    if (this.#isInFrame) {
      throw new RhiError(
        'frame-not-ended',
        `Frame ${frame} was begun while frame ${this.#frame} is open. Call endFrame first.`,
      );
    }
    if (!(Number.isInteger(frame) && frame > this.#frame && frame < 2 ** 32)) {
      throw new RhiError(
        'frame-number',
        `Frame ${frame} was begun after frame ${this.#frame}. Number frames from 0 upwards in whole numbers; skipping is allowed.`,
      );
    }
    super.beginFrame(frame, flags);
    this.#frame = frame;
    this.#isInFrame = true;
    this.#queue = QueueHint.graphics;
  }

  /** The frame that is open, else the last one that was begun; -1: none yet. */
  get lastBegunFrame(): number {
    return this.#frame;
  }

  /** Between `beginFrame` and `endFrame`. */
  get isInFrame(): boolean {
    return this.#isInFrame;
  }

  /**
   * The one place that finishes a frame on the recorder's side (SYSTEMS L8); the executor has its own. Every listener
   * is called once and the frame ends, then the first error is thrown.
   * @throws what a check of submissions threw (`buffer-mapped`): the frame stays open then. RhiError
   *   `frame-not-begun`; `list-left-open` or `list-not-executed`, with the labels of lists that the frame leaves
   *   behind; what a listener threw
   */
  override endFrame(): void {
    if (!this.#isInFrame) {
      throw new RhiError('frame-not-begun', 'endFrame was called between frames. Call beginFrame first.');
    }
    this.#checkSubmission();
    const errors = this.#frameListeners.length > 0 ? this.#tellListeners() : null;
    const leftBehind = this.discardSubLists();
    this.#isInFrame = false;
    super.endFrame();
    if (errors?.length) throw errors[0];
    if (leftBehind !== null) throw leftBehind;
  }

  /** Returns what they threw. */
  #tellListeners(): unknown[] {
    const errors: unknown[] = [];
    for (const listener of [...this.#frameListeners]) {
      try {
        listener(this.#frame);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  onFrameFinished(listener: FrameListener): () => void {
    // A wrapper of its own, so that one function can be registered twice.
    const entry: FrameListener = (frame) => listener(frame);
    this.#frameListeners.push(entry);
    return () => {
      const index = this.#frameListeners.indexOf(entry);
      if (index >= 0) this.#frameListeners.splice(index, 1);
    };
  }

  /**
   * Calls the check before the list, or what there is of it, is submitted: at the beginning of `endFrame`,
   * `signalFence`, `waitFence` and `localCommand`. What it throws refuses that: nothing is recorded, the frame stays
   * open, and the call may be repeated. Returns what ends that.
   */
  onSubmission(check: () => void): () => void {
    const entry = () => check();
    this.#submissionChecks.push(entry);
    return () => {
      const index = this.#submissionChecks.indexOf(entry);
      if (index >= 0) this.#submissionChecks.splice(index, 1);
    };
  }

  override signalFence(fence: FenceHandle, value: number): void {
    this.#checkSubmission();
    super.signalFence(fence, value);
  }

  override waitFence(fence: FenceHandle, value: number): void {
    this.#checkSubmission();
    super.waitFence(fence, value);
  }

  override localCommand(name: string, data?: Uint8Array): void {
    this.#checkSubmission();
    super.localCommand(name, data);
  }

  #checkSubmission(): void {
    for (const check of this.#submissionChecks) check();
  }

  override setQueue(queue: QueueHint): void {
    super.setQueue(queue);
    this.#queue = queue;
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

  // Deferred lists

  /**
   * Opens a list for a deferred context, on this thread or another (it is plain data). From here until it is executed
   * or discarded, `destroy` takes nothing from it (SYSTEMS L3).
   * @throws RhiError `frame-not-begun` outside a frame
   */
  openSubList(label: string, { queue }: SubListOptions = {}): CommandList {
    if (!this.#isInFrame) {
      throw new RhiError(
        'frame-not-begun',
        `The deferred list "${label}" was opened between frames. Lists start, close and execute within one frame: call beginFrame first.`,
      );
    }
    return this.#subLists.open(label, this.#frame, queue);
  }

  /**
   * Puts the lists' commands here, in the order given, which alone decides; then carries out the destroys they ask
   * for. The lists' states are checked before the first is taken.
   * @throws RhiError `list-open`, `list-executed`, `list-discarded`, `list-unknown`, `list-corrupt`; `stale-handle`
   *   for a destroy
   */
  executeSubLists(lists: readonly CommandList[]): void {
    this.#subLists.checkExecutable(lists);
    const queue = this.#queue;
    for (const list of lists) {
      if (list.queue !== this.#queue) this.setQueue(list.queue);
      appendList(this.writer, list);
      this.#queue = list.lastQueue;
    }
    if (this.#queue !== queue) this.setQueue(queue);
    this.#finish(lists.flatMap((list) => this.#subLists.end(list, 'executed')));
  }

  /**
   * Drops a list, whatever has become of it, so that it pins nothing; the destroys it asks for are carried out.
   * @throws RhiError `list-executed`, `list-unknown` for a list of another context
   */
  discardSubList(list: CommandList): void {
    this.#subLists.checkOwner('discardSubList', list);
    if (list.state === 'executed') this.#subLists.checkExecutable([list]);
    this.#finish(this.#subLists.end(list, 'discarded'));
  }

  /**
   * Drops every list that is neither executed nor discarded.
   * @returns the error that names them, for who did not expect any
   */
  discardSubLists(): RhiError | null {
    const late = this.#subLists.takeLate();
    if (late.length === 0) return null;
    const wereOpen = late.some(({ state }) => state !== 'recorded');
    const error = listsLeftBehind(late, wereOpen);
    this.#finish(late.flatMap((list) => this.#subLists.end(list, 'discarded')));
    return error;
  }

  /** While lists are out that were opened before this call, it is carried out after them (SYSTEMS L3). */
  override destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined || !this.#subLists.areOutstanding) {
      super.destroy(handle);
      if (handle !== undefined) this.#forget(handle);
      return;
    }
    this.handles.free(handle);
    this.#forget(handle);
    this.#subLists.hold(handle);
  }

  #forget(handle: ResourceHandle): void {
    this.#descriptors.delete(handle);
    this.#layouts.delete(handle);
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
    checkFenceValue(initialValue, label);
    return super.createFence(label, initialValue);
  }

  override createQuerySet(descriptor: QuerySetDescriptor): QuerySetHandle {
    checkDescriptor('query set', descriptor);
    this.#checkLimits('querySet', descriptor);
    return super.createQuerySet(descriptor);
  }

  override beginRenderPass(descriptor: RenderPassDescriptor): void {
    this.#checkPass('render pass', descriptor);
    super.beginRenderPass(descriptor);
  }

  override beginComputePass(descriptor: ComputePassDescriptor): void {
    this.#checkPass('compute pass', descriptor);
    super.beginComputePass(descriptor);
  }

  override beginDrawingViewport(target: TextureHandle, width: number, height: number): void {
    super.beginDrawingViewport(target, width, height);
    const format = this.#capabilities?.surfaceFormat;
    if (format === undefined) return;
    const usage = TextureUsage.renderAttachment | TextureUsage.copySource;
    this.#descriptors.set(target, { label: this.handles.label(target), width, height, format, usage });
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

  /** Per pass and frame; checked once per descriptor object, as it is encoded once. */
  #checkPass(kind: DescribedKind, descriptor: object): void {
    if (this.#checkedPasses.has(descriptor)) return;
    checkDescriptor(kind, descriptor);
    this.#checkedPasses.add(descriptor);
  }

  #checkLimits<Kind extends keyof LimitedDescriptors>(
    kind: Kind,
    descriptor: LimitedDescriptors[Kind],
  ): void {
    if (this.#capabilities === undefined) return;
    checkLimits(kind, descriptor, this.#capabilities, (layout) => this.#layouts.get(layout));
  }

  /** Lists are done: first what waited for them is destroyed, then what they ask for themselves. */
  #finish(destroys: readonly number[]): void {
    this.#releaseHeld();
    let firstError: unknown = null;
    for (const handle of destroys) {
      try {
        this.destroy(handle as ResourceHandle);
      } catch (error) {
        firstError ??= error;
      }
    }
    if (firstError !== null) throw firstError;
  }

  #releaseHeld(): void {
    for (let handle = this.#subLists.takeReleased(); handle; handle = this.#subLists.takeReleased()) {
      const index = this.writer.reserve(RhiOpcode.destroyResource, 1);
      this.writer.words[index] = handle;
    }
  }
}

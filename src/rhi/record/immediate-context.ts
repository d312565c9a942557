/**
 * The immediate context: the one place that creates and destroys handles, frames the lists and publishes
 * them. A resource may be used in the very next call after its `create…`; the executor constructs it when it
 * reaches that record, always before the use. A destroy travels in the stream too, so it can't overtake the
 * last use, and is legal right after it (SYSTEMS L3).
 *
 *   beginFrame N ─ create … write … passes … destroy ─ endFrame N ─► listeners, which may still record
 *                                                                   record endFrame N ─► publish
 *
 * A frame begins on the graphics queue (SYSTEMS H6). Deferred lists are opened by the context of `fencepost/rhi`
 * (`checked-contexts.ts`).
 */

import { RhiError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import { encodeRecord } from '../../core/records/record-codec.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { FrameFlag, QueueHint, RhiOpcode, rhiCommands } from '../commands/commands.js';
import {
  type BindGroupLayoutDescriptor,
  type BindGroupLayoutHandle,
  type BufferDescriptor,
  type BufferHandle,
  type DrawBundleDescriptor,
  type DrawBundleHandle,
  type FenceHandle,
  type ResourceHandle,
  type RhiCapabilities,
  type TextureDescriptor,
  type TextureHandle,
  TextureUsage,
} from '../commands/descriptors.js';
import { ResourceKind } from '../commands/handles.js';
import type { ArgumentChecks } from './argument-checks.js';
import { CommandContext } from './command-context.js';
import { type Creator, type LabelledDescriptor, withCommands } from './command-methods.js';
import { type DrawRecorder, recordBundle } from './draw-bundle.js';
import { HandleAllocator } from './handle-allocator.js';
import { write1, write3 } from './record-words.js';

/** @param frame the one that ends; what is recorded now still belongs to it */
export type FrameListener = (frame: number) => void;

/** Where those who hold data of one frame learn that it ends (SYSTEMS L8). */
export interface FrameEnds {
  /** Calls the listener in every `endFrame`, in the order of registration. Returns what ends that. */
  onFrameFinished(listener: FrameListener): () => void;
}

interface ImmediateContextOptions {
  /** Frames the GPU may be behind; decides when a handle's slot is re-used. */
  readonly maxFramesInFlight: number;
  /** With it, what a viewport's target is between begin and end is known. */
  readonly surfaceFormat?: RhiCapabilities['surfaceFormat'] | undefined;
  /** Of its handles (`handles.ts`). Default: they bear none. */
  readonly mark?: number | undefined;
  /** Looks at each call first. Default: nobody does. */
  readonly checks?: ArgumentChecks | null | undefined;
}

const NO_WORDS = /* @__PURE__ */ new Uint32Array(0);

const ImmediateCommands = /* @__PURE__ */ withCommands(CommandContext, 'immediate');

export class ImmediateContext extends ImmediateCommands implements FrameEnds, Creator {
  readonly handles: HandleAllocator;
  readonly maxFramesInFlight: number;
  /** Largest buffer that the device binds whole; until that is known, what every WebGPU device allows. */
  maximumBindingBytes = 2 ** 27;

  readonly #surfaceFormat: RhiCapabilities['surfaceFormat'] | undefined;
  /** Of live buffers, textures and bind group layouts. */
  readonly #descriptors = new Map<number, BufferDescriptor | TextureDescriptor | BindGroupLayoutDescriptor>();
  readonly #frameListeners: FrameListener[] = [];
  readonly #submissionChecks: (() => void)[] = [];
  /** The one that is open, else the last one; -1: none yet. */
  #frame = -1;
  #isInFrame = false;
  /** Where the flags of the open frame stand, as long as the writer has sent no more than that many batches. */
  #frameWords: Uint32Array = NO_WORDS;
  #flagsAt = 0;
  #batchesBefore = 0;

  constructor(writer: StreamWriter, options: ImmediateContextOptions) {
    super(writer, options.checks ?? null, options.mark);
    this.maxFramesInFlight = options.maxFramesInFlight;
    this.handles = new HandleAllocator(options.maxFramesInFlight, options.mark);
    this.#surfaceFormat = options.surfaceFormat;
  }

  // Frames

  /**
   * @param flags bits of `FrameFlag`
   * @throws RhiError `frame-number` (with checks, also for the number of the last frame again), `frame-not-ended`
   */
  beginFrame(frame: number, flags = 0): void {
    if (this.#isInFrame) {
      // Throws what has ended the stream, if anything has: then no endFrame can help.
      this.writer.publish();
      throw new RhiError(
        'frame-not-ended',
        `Frame ${shownValue(frame)} was begun while frame ${this.#frame} is open. Call endFrame first.`,
      );
    }
    // The engine's render thread records several lists of one game frame while the game is late.
    const first = this.checks === null ? this.#frame : this.#frame + 1;
    if (!(Number.isInteger(frame) && frame >= first && frame < 2 ** 32)) {
      throw new RhiError(
        'frame-number',
        `Frame ${shownValue(frame)} was begun after frame ${this.#frame}. Number frames from 0 upwards in whole numbers; skipping is allowed.`,
      );
    }
    this.checks?.checkCall(this, 'beginFrame', [frame, flags]);
    this.handles.beginFrame(frame);
    const { writer } = this;
    const at = writer.reserve(RhiOpcode.beginFrame, 2);
    const { words } = writer;
    words[at] = frame;
    words[at + 1] = flags;
    this.#frameWords = words;
    this.#flagsAt = at + 1;
    this.#batchesBefore = writer.batchesSent;
    this.beginInlineData();
    this.#frame = frame;
    this.#isInFrame = true;
    this.queue = QueueHint.graphics;
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
   * Ends the frame's list: the executor submits and numbers it. The one place that finishes a frame on the recorder's
   * side (SYSTEMS L8). Every listener is called once and the frame ends, then the first error is thrown.
   * @throws what a check of submissions threw (`buffer-mapped`): the frame stays open then. RhiError
   *   `frame-not-begun`; `list-left-open` or `list-not-executed`, with the labels of lists that the frame leaves
   *   behind; what a listener threw
   */
  endFrame(): void {
    if (!this.#isInFrame) {
      throw new RhiError('frame-not-begun', 'endFrame was called between frames. Call beginFrame first.');
    }
    this.checks?.checkCall(this, 'endFrame', [this.#frame]);
    this.beforeSubmission();
    const errors = this.#frameListeners.length > 0 ? this.#tellListeners() : null;
    const leftBehind = this.discardSubLists();
    this.#isInFrame = false;
    write1(this.writer, RhiOpcode.endFrame, this.#frame);
    if (errors?.length) throw errors[0];
    if (leftBehind !== null) throw leftBehind;
  }

  /** Drops deferred lists, where there are any. Returns the error that names those the frame leaves behind. */
  discardSubLists(): RhiError | null {
    return null;
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
    return addListener(this.#frameListeners, (frame) => listener(frame));
  }

  /**
   * Calls the check before the list, or what there is of it, is submitted: at the beginning of `endFrame`,
   * `signalFence`, `waitFence` and `localCommand`. What it throws refuses that: nothing is recorded, the frame stays
   * open, and the call may be repeated. Returns what ends that.
   */
  onSubmission(check: () => void): () => void {
    return addListener(this.#submissionChecks, () => check());
  }

  override beforeSubmission(): void {
    for (const check of this.#submissionChecks) check();
  }

  /**
   * What is read back must not lack what a pipeline that is still being made would have drawn: the frame that reads waits
   * for its pipelines. Its first record says so, unless that is with the executor already; then a read that lacks
   * something is refused (`readback-failed`).
   */
  override readBackRecorded(): void {
    if (!this.#isInFrame || this.writer.batchesSent !== this.#batchesBefore) return;
    this.#frameWords[this.#flagsAt] |= FrameFlag.waitForPipelines;
  }

  /** Passes all records so far to the executor. */
  publish(): void {
    this.writer.publish();
  }

  // The viewport

  /** A handle for `beginDrawingViewport`. It costs nothing, lasts until `destroy`, and names no texture in between. */
  createViewportTarget(label: string): TextureHandle {
    this.checks?.checkCall(this, 'createViewportTarget', [label]);
    return this.handles.allocate(ResourceKind.texture, label) as TextureHandle;
  }

  /** From here to `endDrawingViewport`, `target` names the surface's texture. Size in physical pixels. */
  beginDrawingViewport(target: TextureHandle, width: number, height: number): void {
    this.checks?.checkCall(this, 'beginDrawingViewport', [target, width, height]);
    write3(this.writer, RhiOpcode.beginDrawingViewport, target, width, height);
    const format = this.#surfaceFormat;
    if (format === undefined) return;
    const usage = TextureUsage.renderAttachment | TextureUsage.copySource;
    this.#descriptors.set(target >>> 0, { label: this.handles.label(target), width, height, format, usage });
  }

  endDrawingViewport(target: TextureHandle): void {
    write1(this.writer, RhiOpcode.endDrawingViewport, target);
    this.#descriptors.delete(target >>> 0);
  }

  // Resources

  /** For the calls that create: the handle of what they create, whose descriptor is known from here on. */
  create(kind: number, descriptor: LabelledDescriptor): number {
    const handle = this.handles.allocate(kind as ResourceKind, descriptor.label);
    if (DESCRIBED_KINDS.has(kind)) this.#descriptors.set(handle >>> 0, descriptor as BufferDescriptor);
    return handle;
  }

  /**
   * A fence that commands signal and wait for. Its value only rises.
   * @param initialValue whole, from 0 below 2^64 − 1
   * @param reserved a handle from `reserveFence`
   * @throws RhiError `bad-fence-value`
   */
  createFence(label: string, initialValue: number | bigint = 0, reserved?: FenceHandle): FenceHandle {
    this.checks?.checkCall(this, 'createFence', [label, initialValue]);
    const handle = reserved ?? this.reserveFence(label);
    encodeRecord(this.writer, rhiCommands, 'createFence', { handle, initialValue, label });
    return handle;
  }

  /**
   * A handle that `createFence` is given later: where the executor is on another thread, `bindFence` can come before the
   * fence is created there.
   */
  reserveFence(label: string): FenceHandle {
    return this.handles.allocate(ResourceKind.fence, label) as FenceHandle;
  }

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
    this.checks?.checkCall(this, 'createDrawBundle', [descriptor, record]);
    const { label } = descriptor;
    const commands = recordBundle(label, record, this);
    const handle = this.handles.allocate(ResourceKind.drawBundle, label);
    encodeRecord(this.writer, rhiCommands, 'createDrawBundle', { handle, label, commands });
    return handle as DrawBundleHandle;
  }

  /**
   * While deferred lists are out that were opened before this call, it is carried out after them (SYSTEMS L3).
   * @param handle nothing happens where there is none
   * @throws RhiError `stale-handle`, with the debug label, when it was destroyed before
   */
  destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined) return;
    this.checks?.checkCall(this, 'destroy', [handle]);
    this.handles.free(handle);
    this.#descriptors.delete(handle >>> 0);
    this.recordDestroy(handle);
  }

  /** Per destroyed resource. Where there are deferred lists it may have to wait for them. */
  protected recordDestroy(handle: number): void {
    write1(this.writer, RhiOpcode.destroyResource, handle);
  }

  /**
   * What a live buffer, texture or bind group layout was created with; of a viewport’s target, between begin and end,
   * what the surface has. Undefined: not created by this context.
   */
  descriptorOf(handle: BufferHandle): BufferDescriptor | undefined;
  descriptorOf(handle: TextureHandle): TextureDescriptor | undefined;
  descriptorOf(handle: BindGroupLayoutHandle): BindGroupLayoutDescriptor | undefined;
  descriptorOf(handle: number): BufferDescriptor | TextureDescriptor | BindGroupLayoutDescriptor | undefined {
    return this.#descriptors.get(handle >>> 0);
  }

  /** Per draw, where no length is given. */
  override bytesFrom(buffer: BufferHandle, byteOffset: number): number {
    const { byteLength = 0 } = this.descriptorOf(buffer) ?? {};
    if (byteLength === 0) this.handles.check(buffer, 'be bound');
    return Math.max(0, byteLength - byteOffset);
  }
}

/** Kinds of resources whose descriptors others ask for. */
const DESCRIBED_KINDS: ReadonlySet<number> = /* @__PURE__ */ new Set([
  ResourceKind.buffer,
  ResourceKind.texture,
  ResourceKind.bindGroupLayout,
]);

/** @param entry an object of its own, so that one function can be added twice. Returns what takes it out. */
function addListener<Listener>(listeners: Listener[], entry: Listener): () => void {
  listeners.push(entry);
  return () => {
    const index = listeners.indexOf(entry);
    if (index >= 0) listeners.splice(index, 1);
  };
}

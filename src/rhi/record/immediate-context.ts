/**
 * The immediate context: the only one that creates and destroys handles, frames the lists, and publishes them. A
 * resource may be used in the call right after its `create…`, because the executor constructs it when it reaches that
 * record. A destroy travels in the stream too, so it can't overtake the last use, and is allowed right after it
 * (SYSTEMS L3).
 *
 *   beginFrame N ─ create … write … passes … destroy ─ endFrame N ─► listeners, which may still record
 *                                                                   record endFrame N ─► publish
 *
 * A frame begins on the graphics queue (SYSTEMS H6). Only the context of `fencepost/rhi` opens deferred lists
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

/** @param frame the frame that ends; commands that the listener records still belong to it */
export type FrameListener = (frame: number) => void;

/** Frame ends, for owners of per-frame data (SYSTEMS L8). */
export interface FrameEnds {
  /**
   * Calls the listener in every `endFrame`, in the order of registration.
   * @returns a function that removes the listener
   */
  onFrameFinished(listener: FrameListener): () => void;
}

interface ImmediateContextOptions {
  /** Number of frames that the GPU may be behind; decides when a handle's slot is reused. */
  readonly maxFramesInFlight: number;
  /** Format of the surface; with it, `descriptorOf` describes a viewport's target between begin and end. */
  readonly surfaceFormat?: RhiCapabilities['surfaceFormat'] | undefined;
  /** Mark of its handles (`handles.ts`). Default: none. */
  readonly mark?: number | undefined;
  /** Checks of each call. Default: none. */
  readonly checks?: ArgumentChecks | null | undefined;
}

const NO_WORDS = /* @__PURE__ */ new Uint32Array(0);

const ImmediateCommands = /* @__PURE__ */ withCommands(CommandContext, 'immediate');

export class ImmediateContext extends ImmediateCommands implements FrameEnds, Creator {
  readonly handles: HandleAllocator;
  readonly maxFramesInFlight: number;
  /** Largest buffer that the device binds as a whole, in bytes; until that is known, WebGPU's minimum. */
  maximumBindingBytes = 2 ** 27;

  readonly #surfaceFormat: RhiCapabilities['surfaceFormat'] | undefined;
  /** Descriptors of live buffers, textures and bind group layouts, by handle. */
  readonly #descriptors = new Map<number, BufferDescriptor | TextureDescriptor | BindGroupLayoutDescriptor>();
  readonly #frameListeners: FrameListener[] = [];
  readonly #submissionChecks: (() => void)[] = [];
  /** The open frame, else the last one; −1: none yet. */
  #frame = -1;
  #isInFrame = false;
  /** Place of the open frame's flags. It is valid until the writer has sent more batches. */
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
   * @throws RhiError `frame-number` (with checks, also if the last frame's number is repeated), `frame-not-ended`
   */
  beginFrame(frame: number, flags = 0): void {
    if (this.#isInFrame) {
      // Throws the error that has ended the stream, if any, because `endFrame` could not help then.
      this.writer.publish();
      throw new RhiError(
        'frame-not-ended',
        `Frame ${shownValue(frame)} was begun while frame ${this.#frame} is open. Call endFrame first.`,
      );
    }
    // Without checks, a number may repeat: the engine records several lists of one game frame while the game is late.
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

  /** The open frame, else the last one that was begun; −1: none yet. */
  get lastBegunFrame(): number {
    return this.#frame;
  }

  /** Whether a frame is open, between `beginFrame` and `endFrame`. */
  get isInFrame(): boolean {
    return this.#isInFrame;
  }

  /**
   * Ends the frame's list: the executor submits and numbers it. Frames end only here on the recorder's side (SYSTEMS
   * L8). Every listener is called once and the frame ends; then the first error is thrown.
   * @throws any error of a submission check (`buffer-mapped`), and then the frame stays open. RhiError
   *   `frame-not-begun`; `list-left-open` or `list-not-executed`, with the labels of the lists that the frame leaves
   *   behind; any error of a listener
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

  /** Drops deferred lists, if there are any. @returns the error that names them */
  discardSubLists(): RhiError | null {
    return null;
  }

  /** @returns the errors that listeners threw */
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
   * Calls the check before the list, or its first part, is submitted: at the start of `endFrame`, `signalFence`,
   * `waitFence` and `localCommand`. An error that it throws prevents the submission: nothing is recorded, the frame
   * stays open, and the call may be repeated.
   * @returns a function that removes the check
   */
  onSubmission(check: () => void): () => void {
    return addListener(this.#submissionChecks, () => check());
  }

  override beforeSubmission(): void {
    for (const check of this.#submissionChecks) check();
  }

  /**
   * Makes the frame wait for its pipelines, so that the bytes read back contain all draws. The flag is set in the
   * frame's first record, unless the executor has that record already. In that case an incomplete read is refused
   * (`readback-failed`).
   */
  override readBackRecorded(): void {
    if (!this.#isInFrame || this.writer.batchesSent !== this.#batchesBefore) return;
    this.#frameWords[this.#flagsAt] |= FrameFlag.waitForPipelines;
  }

  /** Sends all records so far to the executor. */
  publish(): void {
    this.writer.publish();
  }

  // The viewport

  /**
   * Returns a handle for `beginDrawingViewport`. It costs nothing, lasts until `destroy`, and names a texture only
   * while the viewport is drawn.
   */
  createViewportTarget(label: string): TextureHandle {
    this.checks?.checkCall(this, 'createViewportTarget', [label]);
    return this.handles.allocate(ResourceKind.texture, label) as TextureHandle;
  }

  /** Lets `target` name the surface's texture until `endDrawingViewport`. Width and height are in physical pixels. */
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

  /**
   * Allocates the handle of a new resource, and keeps its descriptor if others ask for it. Called by `create…` methods.
   */
  create(kind: number, descriptor: LabelledDescriptor): number {
    const handle = this.handles.allocate(kind as ResourceKind, descriptor.label);
    if (DESCRIBED_KINDS.has(kind)) this.#descriptors.set(handle >>> 0, descriptor as BufferDescriptor);
    return handle;
  }

  /**
   * Creates a fence that commands signal and wait for. Its value only rises.
   * @param initialValue a whole number from 0 to below 2^64 − 1
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
   * Returns a handle to pass to `createFence` later. If the executor runs on another thread, `bindFence` can be called
   * before the fence is created there.
   */
  reserveFence(label: string): FenceHandle {
    return this.handles.allocate(ResourceKind.fence, label) as FenceHandle;
  }

  /**
   * Creates a bundle of draws that stay the same, recorded once. `executeDrawBundle` then costs about one draw, however
   * many it holds. Resources in it may be destroyed or renamed; a draw that lacks one is left out and counted.
   * @param record called at once to record the draws, as in a render pass without any state: pipeline, bind groups,
   *   vertex and index buffers, draws, debug groups and markers
   * @throws RhiError `bundle-command` for another command, `bundle-debug-group`, `bundle-too-large`, `bad-descriptor`;
   *   any error of `record`
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
   * Destroys a resource, after the deferred lists that were opened before this call (SYSTEMS L3).
   * @param handle undefined: nothing happens
   * @throws RhiError `stale-handle`, with the debug label, if it was destroyed before
   */
  destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined) return;
    this.checks?.checkCall(this, 'destroy', [handle]);
    this.handles.free(handle);
    this.#descriptors.delete(handle >>> 0);
    this.recordDestroy(handle);
  }

  /** Records a destroy, which may have to wait for deferred lists. Called per destroyed resource. */
  protected recordDestroy(handle: number): void {
    write1(this.writer, RhiOpcode.destroyResource, handle);
  }

  /**
   * Returns the descriptor of a live buffer, texture or bind group layout. For a viewport's target, it describes the
   * surface's texture between begin and end. Undefined: not created by this context.
   */
  descriptorOf(handle: BufferHandle): BufferDescriptor | undefined;
  descriptorOf(handle: TextureHandle): TextureDescriptor | undefined;
  descriptorOf(handle: BindGroupLayoutHandle): BindGroupLayoutDescriptor | undefined;
  descriptorOf(handle: number): BufferDescriptor | TextureDescriptor | BindGroupLayoutDescriptor | undefined {
    return this.#descriptors.get(handle >>> 0);
  }

  /** Called per draw if no length is given. */
  override bytesFrom(buffer: BufferHandle, byteOffset: number): number {
    const { byteLength = 0 } = this.descriptorOf(buffer) ?? {};
    if (byteLength === 0) this.handles.check(buffer, 'be bound');
    return Math.max(0, byteLength - byteOffset);
  }
}

/** Kinds of resources whose descriptors are kept. */
const DESCRIBED_KINDS: ReadonlySet<number> = /* @__PURE__ */ new Set([
  ResourceKind.buffer,
  ResourceKind.texture,
  ResourceKind.bindGroupLayout,
]);

/** @param entry a new function object, so that one listener can be added twice @returns a function that removes it */
function addListener<Listener>(listeners: Listener[], entry: Listener): () => void {
  listeners.push(entry);
  return () => {
    const index = listeners.indexOf(entry);
    if (index >= 0) listeners.splice(index, 1);
  };
}

/**
 * The immediate context. Only this context creates and destroys handles, begins and ends frames, and publishes records.
 * A resource may be used in the call right after its `create…`, because the executor constructs it when it executes the
 * `create…` record. A destroy is a record as well, so it can't overtake the last use of a resource. A caller may
 * destroy a resource right after recording its last use (SYSTEMS L3).
 *
 *   beginFrame N ─ create … write … passes … destroy ─ endFrame N ─► listeners, which may still record
 *                                                                    └► the record endFrame N
 *
 * A frame begins on the graphics queue (SYSTEMS H6). Deferred lists that the frame opens delay destroys
 * (`open-lists.ts`). The context of `fencepost/rhi` is a subclass that checks arguments (`checked-contexts.ts`).
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
import {
  appendList,
  type CommandList,
  type ListOwner,
  listsLeftBehind,
  makeListOwner,
} from './command-list.js';
import { type Creator, type LabelledDescriptor, withCommands } from './command-methods.js';
import { type DrawRecorder, recordBundle } from './draw-bundle.js';
import { addListener, type FrameEnds, type FrameListener, notifyFrameEnd } from './frame-ends.js';
import { HandleAllocator } from './handle-allocator.js';
import { OpenLists } from './open-lists.js';
import { write1, write3 } from './record-words.js';

interface ImmediateContextOptions {
  /** Number of frames that the GPU may lag behind. A handle's slot is reused after that many frames and a margin. */
  readonly maxFramesInFlight: number;
  /** Format of the surface. If it is given, `descriptorOf` returns a descriptor for the target of the open viewport. */
  readonly surfaceFormat?: RhiCapabilities['surfaceFormat'] | undefined;
  /** Identity of this context in the deferred lists that it opens. Default: a new one. */
  readonly owner?: ListOwner | undefined;
  /** Mark of this context's handles (`handles.ts`). Default: none. */
  readonly mark?: number | undefined;
  /** Checks of each call. Default: none. */
  readonly checks?: ArgumentChecks | null | undefined;
}

const NO_WORDS = /* @__PURE__ */ new Uint32Array(0);

const ImmediateCommands = /* @__PURE__ */ withCommands(CommandContext, 'immediate');

export class ImmediateContext extends ImmediateCommands implements FrameEnds, Creator {
  readonly handles: HandleAllocator;
  readonly maxFramesInFlight: number;
  /** Maximum bytes of a storage buffer binding. WebGPU's default until the owner sets it. */
  maximumBindingBytes = 2 ** 27;

  readonly #surfaceFormat: RhiCapabilities['surfaceFormat'] | undefined;
  /** Deferred lists of the open frame, and the destroys that wait for them. */
  readonly #lists: OpenLists;
  /** Descriptors of live buffers, textures and bind group layouts, by handle. */
  readonly #descriptors = new Map<number, BufferDescriptor | TextureDescriptor | BindGroupLayoutDescriptor>();
  readonly #frameListeners: FrameListener[] = [];
  readonly #submissionChecks: (() => void)[] = [];
  /** The open frame, or between frames the last one; −1 before the first. */
  #frame = -1;
  #isInFrame = false;
  /** Page with the `beginFrame` record of the open frame. The record can change until the next batch is sent. */
  #frameWords: Uint32Array = NO_WORDS;
  /** Index of the frame's flags in `#frameWords`. */
  #flagsAt = 0;
  /** Number of batches that the writer had sent when the frame began. */
  #batchesBefore = 0;

  constructor(writer: StreamWriter, options: ImmediateContextOptions) {
    super(writer, options.checks ?? null, options.mark);
    this.maxFramesInFlight = options.maxFramesInFlight;
    this.handles = new HandleAllocator(options.maxFramesInFlight, options.mark);
    this.#surfaceFormat = options.surfaceFormat;
    this.#lists = new OpenLists(options.owner ?? makeListOwner());
  }

  // Frames

  /**
   * Begins a frame.
   * @param frame a whole number above the last frame's number. A context without checks also accepts the last frame's
   *   number
   * @param flags bits of `FrameFlag`
   * @throws RhiError `frame-number`, `frame-not-ended`
   */
  beginFrame(frame: number, flags = 0): void {
    if (this.#isInFrame) {
      // If the stream has ended, this call throws the stream's error, because the advice below would not help.
      this.writer.publish();
      throw new RhiError(
        'frame-not-ended',
        `Frame ${shownValue(frame)} was begun while frame ${this.#frame} is open. Call endFrame first.`,
      );
    }
    // The engine's context has no checks. While the game is late, the engine's context records several lists with the
    // same frame number.
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

  /** The open frame, or between frames the last one that was begun; −1 before the first. */
  get lastBegunFrame(): number {
    return this.#frame;
  }

  /** Whether a frame is open, between `beginFrame` and `endFrame`. */
  get isInFrame(): boolean {
    return this.#isInFrame;
  }

  /**
   * Ends the frame. The executor then submits the frame's list. No other function ends frames on the recording side
   * (SYSTEMS L8). Every listener is called once, even if a listener throws. After the end of the frame, the first of
   * these errors is thrown.
   * @throws RhiError `frame-not-begun`; `list-left-open` or `list-not-executed`, with the labels of deferred lists
   *   that have not ended; any error of a listener; any error of a submission check (`onSubmission`), which leaves
   *   the frame open
   */
  endFrame(): void {
    if (!this.#isInFrame) {
      throw new RhiError('frame-not-begun', 'endFrame was called between frames. Call beginFrame first.');
    }
    this.checks?.checkCall(this, 'endFrame', [this.#frame]);
    this.beforeSubmission();
    const errors = this.#frameListeners.length > 0 ? notifyFrameEnd(this.#frameListeners, this.#frame) : null;
    const leftBehind = this.discardSubLists();
    this.#isInFrame = false;
    write1(this.writer, RhiOpcode.endFrame, this.#frame);
    if (errors?.length) throw errors[0];
    if (leftBehind !== null) throw leftBehind;
  }

  /**
   * Opens a list for a deferred context. A list is plain data, so it can be posted to another thread. Until the
   * list is executed or discarded, `destroy` does not affect resources that it may use (SYSTEMS L3).
   * @throws RhiError `frame-not-begun` outside a frame
   */
  openSubList(label: string, { queue = QueueHint.graphics }: { queue?: QueueHint } = {}): CommandList {
    return this.#lists.open(label, this.#isInFrame ? this.#frame : null, queue);
  }

  /**
   * Opens a list again that has been executed or discarded. Allocates nothing: a renderer can keep its lists and record
   * into them in each frame. The list keeps its label, its queue and the memory of its pages.
   * @throws RhiError `frame-not-begun` outside a frame, `list-in-flight` for a list that has not ended, `list-unknown`
   *   for a list of another context, `bad-argument`
   */
  reopenSubList(list: CommandList): void {
    this.#lists.reopen(list, this.#isInFrame ? this.#frame : null);
  }

  /**
   * Records the lists' commands in the order of the array. Then calls `destroy` for each destroy that they request. The
   * states of all lists are checked before the first list is recorded. Allocates one view per page of the stream.
   * @throws RhiError `list-open`, `list-executed`, `list-discarded`, `list-unknown`, `list-corrupt`, `bad-argument`;
   *   `stale-handle` for a destroy
   */
  executeSubLists(lists: readonly CommandList[]): void {
    this.#lists.checkExecutable(lists);
    const { queue } = this;
    for (let index = 0; index < lists.length; index++) {
      const list = lists[index];
      if (list.queue !== this.queue) this.setQueue(list.queue);
      appendList(this.writer, list);
      if (list.readsBack) this.readBackRecorded();
      this.queue = list.lastQueue;
    }
    if (this.queue !== queue) this.setQueue(queue);
    this.#lists.end(lists, 'executed', this);
  }

  /**
   * Drops a list that has not been executed, so that it no longer delays destroys. Calls `destroy` for each destroy
   * that the list requests.
   * @throws RhiError `list-executed`, `list-unknown` for a list of another context, `bad-argument`; `stale-handle`
   */
  discardSubList(list: CommandList): void {
    this.#lists.checkOwner('discardSubList', list);
    if (list.state === 'executed') this.#lists.checkExecutable([list]);
    this.#lists.end([list], 'discarded', this);
  }

  /**
   * Drops every deferred list that is neither executed nor discarded.
   * @returns an error that names the dropped lists; null if there are none. Its cause is the first error of a destroy
   *   that the lists request
   */
  discardSubLists(): RhiError | null {
    const late = this.#lists.forget();
    if (late.length === 0) return null;
    const error = listsLeftBehind(late);
    try {
      this.#lists.end(late, 'discarded', this);
    } catch (cause) {
      error.cause = cause;
    }
    return error;
  }

  onFrameFinished(listener: FrameListener): () => void {
    return addListener(this.#frameListeners, (frame) => listener(frame));
  }

  /**
   * Calls the check before recorded commands are submitted: at the start of `endFrame`, `signalFence`, `waitFence`
   * and `localCommand`. If the check throws, the call records nothing and the frame stays open. The call may be
   * repeated.
   * @returns a function that removes the check
   */
  onSubmission(check: () => void): () => void {
    return addListener(this.#submissionChecks, () => check());
  }

  override beforeSubmission(): void {
    for (const check of this.#submissionChecks) check();
  }

  /**
   * Sets a flag that makes the frame wait for its pipelines, so that the bytes read back contain all draws. The flag is
   * set in the frame's first record. If that record has already been sent, the flag can't be set, and an incomplete
   * read is refused (`readback-failed`).
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
   * Returns a handle for `beginDrawingViewport`. The handle allocates no GPU memory and lasts until `destroy`. It
   * names a texture only between `beginDrawingViewport` and `endDrawingViewport`.
   */
  createViewportTarget(label: string): TextureHandle {
    this.checks?.checkCall(this, 'createViewportTarget', [label]);
    return this.handles.allocate(ResourceKind.texture, label) as TextureHandle;
  }

  /**
   * Makes `target` name the surface's texture until `endDrawingViewport`. Width and height are in physical pixels.
   */
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
   * Allocates the handle of a new resource, and keeps the descriptors that `descriptorOf` returns. Called by
   * `create…` methods.
   */
  create(kind: number, descriptor: LabelledDescriptor): number {
    const handle = this.handles.allocate(kind as ResourceKind, descriptor.label);
    if (DESCRIBED_KINDS.has(kind)) this.#descriptors.set(handle >>> 0, descriptor as BufferDescriptor);
    return handle;
  }

  /**
   * Creates a fence that commands signal and wait for. Its value only rises.
   * @param initialValue a whole number from 0 to 2^53 − 1, or a bigint below 2^64 − 1
   * @param reserved a handle that `reserveFence` has returned
   * @throws RhiError `bad-fence-value`
   */
  createFence(label: string, initialValue: number | bigint = 0, reserved?: FenceHandle): FenceHandle {
    this.checks?.checkCall(this, 'createFence', [label, initialValue]);
    const handle = reserved ?? this.reserveFence(label);
    encodeRecord(this.writer, rhiCommands, 'createFence', { handle, initialValue, label });
    return handle;
  }

  /**
   * Returns a handle to pass to `createFence` later. The executor's thread can then call `bindFence` with the handle
   * before it executes the `createFence` record.
   */
  reserveFence(label: string): FenceHandle {
    return this.handles.allocate(ResourceKind.fence, label) as FenceHandle;
  }

  /**
   * Creates a bundle of draws that are recorded once and stay the same. `executeDrawBundle` then costs about as
   * much as one draw, however many draws the bundle has. Resources of a bundle may be destroyed or renamed. A draw
   * that lacks a resource is skipped and counted.
   * @param record called at once to record the draws. The bundle starts without state, as a render pass does, and
   *   may set the pipeline, bind groups, vertex and index buffers, debug groups and markers
   * @throws RhiError `bundle-command` for another command, `bundle-debug-group`, `bundle-too-large`,
   *   `bad-descriptor`; any error of `record`
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
   * Destroys a resource. The destroy is recorded once all deferred lists opened so far in the frame have been executed
   * or discarded (SYSTEMS L3).
   * @param handle if undefined, the call does nothing
   * @throws RhiError `stale-handle` if the resource was destroyed before, `foreign-handle`
   */
  destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined) return;
    this.checks?.checkCall(this, 'destroy', [handle]);
    this.handles.free(handle);
    this.#descriptors.delete(handle >>> 0);
    if (!this.#lists.hold(handle)) write1(this.writer, RhiOpcode.destroyResource, handle);
  }

  /**
   * Returns the descriptor of a live buffer, texture or bind group layout of this context; undefined for any other
   * handle. The target of a viewport has a descriptor between `beginDrawingViewport` and `endDrawingViewport`.
   */
  descriptorOf(handle: BufferHandle): BufferDescriptor | undefined;
  descriptorOf(handle: TextureHandle): TextureDescriptor | undefined;
  descriptorOf(handle: BindGroupLayoutHandle): BindGroupLayoutDescriptor | undefined;
  descriptorOf(handle: number): BufferDescriptor | TextureDescriptor | BindGroupLayoutDescriptor | undefined {
    return this.#descriptors.get(handle >>> 0);
  }

  /** Returns the number of bytes from an offset to the buffer's end. Called per draw if no length is given. */
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

/**
 * The immediate context: the one place that creates and destroys handles, frames the lists and publishes
 * them. A resource may be used in the very next call after its `create…`; the executor constructs it when it
 * reaches that record, always before the use. A destroy travels in the stream too, so it can't overtake the
 * last use, and is legal right after it (SYSTEMS L3).
 *
 *   beginFrame N ─ openSubList ─ … ─ executeSubLists ─ … ─ endFrame N ─► listeners, which may still record
 *                       │                  ▲                             lists left behind: an error
 *                       └─ other threads ──┘ records, in the given order  record endFrame N ─► publish
 *
 * A frame and a list begin on the graphics queue (SYSTEMS H6).
 */

import { RhiError } from '../../core/errors.js';
import { shownValue } from '../../core/option-names.js';
import { encodeRecord } from '../../core/record-codec.js';
import type { StreamWriter } from '../../core/stream.js';
import { commandRows, QueueHint, RhiOpcode, rhiCommands } from '../commands/commands.js';
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
import { HandleAllocator, ResourceKind } from '../commands/handles.js';
import type { ArgumentChecks } from './argument-checks.js';
import { CommandContext } from './command-context.js';
import { appendList, type CommandList, makeListOwner } from './command-list.js';
import { type Creator, type LabelledDescriptor, withCommands } from './command-methods.js';
import { type DrawRecorder, recordBundle, writeBundle } from './draw-bundle.js';
import { write1, write2, write3 } from './record-words.js';
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

export interface ImmediateContextOptions {
  /** Frames the GPU may be behind; decides when a handle's slot is re-used. */
  readonly maxFramesInFlight: number;
  /** With it, what a viewport's target is between begin and end is known. */
  readonly surfaceFormat?: RhiCapabilities['surfaceFormat'] | undefined;
  /** Names it in messages about its deferred lists. Default: `context 1`, and so on. */
  readonly label?: string | undefined;
  /** Looks at each call first. Default: nobody does. */
  readonly checks?: ArgumentChecks | null | undefined;
}

const ImmediateCommands = /* @__PURE__ */ withCommands(CommandContext, rhiCommands, commandRows, 'immediate');

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
  readonly #subLists: SubLists;
  /** The one that is open, else the last one; -1: none yet. */
  #frame = -1;
  #isInFrame = false;

  constructor(writer: StreamWriter, options: ImmediateContextOptions) {
    super(writer, options.checks ?? null);
    this.maxFramesInFlight = options.maxFramesInFlight;
    this.handles = new HandleAllocator(options.maxFramesInFlight);
    this.#surfaceFormat = options.surfaceFormat;
    this.#subLists = new SubLists(makeListOwner(options.label));
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
    this.checks?.checkCall(this, 'beginFrame', commandRows.beginFrame, [frame, flags]);
    this.handles.beginFrame(frame);
    write2(this.writer, RhiOpcode.beginFrame, frame, flags);
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
    this.beforeSubmission();
    const errors = this.#frameListeners.length > 0 ? this.#tellListeners() : null;
    const leftBehind = this.discardSubLists();
    this.#isInFrame = false;
    write1(this.writer, RhiOpcode.endFrame, this.#frame);
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

  protected override beforeSubmission(): void {
    for (const check of this.#submissionChecks) check();
  }

  /** Passes all records so far to the executor. */
  publish(): void {
    this.writer.publish();
  }

  // The viewport

  /** A handle for `beginDrawingViewport`. It costs nothing, lasts until `destroy`, and names no texture in between. */
  createViewportTarget(label: string): TextureHandle {
    this.checks?.checkCall(this, 'createViewportTarget', commandRows.beginScene, [label]);
    return this.handles.allocate(ResourceKind.texture, label) as TextureHandle;
  }

  /** From here to `endDrawingViewport`, `target` names the surface's texture. Size in physical pixels. */
  beginDrawingViewport(target: TextureHandle, width: number, height: number): void {
    const row = commandRows.beginDrawingViewport;
    this.checks?.checkCall(this, 'beginDrawingViewport', row, [target, width, height]);
    write3(this.writer, RhiOpcode.beginDrawingViewport, target, width, height);
    const format = this.#surfaceFormat;
    if (format === undefined) return;
    const usage = TextureUsage.renderAttachment | TextureUsage.copySource;
    this.#descriptors.set(target, { label: this.handles.label(target), width, height, format, usage });
  }

  endDrawingViewport(target: TextureHandle): void {
    write1(this.writer, RhiOpcode.endDrawingViewport, target);
    this.#descriptors.delete(target);
  }

  // Resources

  /** For the calls that create: the handle of what they create, whose descriptor is known from here on. */
  create(kind: number, descriptor: LabelledDescriptor): number {
    const handle = this.handles.allocate(kind as ResourceKind, descriptor.label);
    if (DESCRIBED_KINDS.has(kind)) this.#descriptors.set(handle, descriptor as BufferDescriptor);
    return handle;
  }

  /**
   * A fence that commands signal and wait for. Its value only rises.
   * @param initialValue whole, 0 to 2^53 − 1
   * @throws RhiError `bad-fence-value`
   */
  createFence(label: string, initialValue = 0): FenceHandle {
    this.checks?.checkCall(this, 'createFence', commandRows.beginScene, [label]);
    this.checks?.checkFenceValue(`createFence of "${label}"`, initialValue);
    const handle = this.handles.allocate(ResourceKind.fence, label);
    encodeRecord(this.writer, rhiCommands, 'createFence', { handle, initialValue, label });
    return handle as FenceHandle;
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
    this.checks?.checkBundle(descriptor, record);
    const { label } = descriptor;
    const bytesFrom = (buffer: BufferHandle, byteOffset: number) => this.bytesFrom(buffer, byteOffset);
    const commands = recordBundle(label, record, bytesFrom, this.checks);
    const handle = this.handles.allocate(ResourceKind.drawBundle, label);
    writeBundle(this.writer, handle, label, commands);
    return handle as DrawBundleHandle;
  }

  /**
   * While deferred lists are out that were opened before this call, it is carried out after them (SYSTEMS L3).
   * @param handle nothing happens where there is none
   * @throws RhiError `stale-handle`, with the debug label, when it was destroyed before
   */
  destroy(handle: ResourceHandle | undefined): void {
    if (handle === undefined) return;
    this.checks?.checkCall(this, 'destroy', commandRows.destroyResource, [handle]);
    this.handles.free(handle);
    this.#descriptors.delete(handle);
    if (this.#subLists.areOutstanding) this.#subLists.hold(handle);
    else write1(this.writer, RhiOpcode.destroyResource, handle);
  }

  /**
   * What a live buffer, texture or bind group layout was created with; of a viewport’s target, between begin and end,
   * what the surface has. Undefined: not created by this context.
   */
  descriptorOf(handle: BufferHandle): BufferDescriptor | undefined;
  descriptorOf(handle: TextureHandle): TextureDescriptor | undefined;
  descriptorOf(handle: BindGroupLayoutHandle): BindGroupLayoutDescriptor | undefined;
  descriptorOf(handle: number): BufferDescriptor | TextureDescriptor | BindGroupLayoutDescriptor | undefined {
    return this.#descriptors.get(handle);
  }

  /** Per draw, where no length is given. */
  protected override bytesFrom(buffer: BufferHandle, byteOffset: number): number {
    const { byteLength = 0 } = this.descriptorOf(buffer) ?? {};
    if (byteLength === 0) this.handles.check(buffer, 'be bound');
    return Math.max(0, byteLength - byteOffset);
  }

  // Deferred lists

  /**
   * Opens a list for a deferred context, on this thread or another (it is plain data). From here until it is executed
   * or discarded, `destroy` takes nothing from it (SYSTEMS L3).
   * @throws RhiError `frame-not-begun` outside a frame
   */
  openSubList(label: string, options: SubListOptions = {}): CommandList {
    this.checks?.checkSubList(label, options);
    const { queue = QueueHint.graphics } = options;
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
    const queue = this.queue;
    for (const list of lists) {
      if (list.queue !== this.queue) this.setQueue(list.queue);
      appendList(this.writer, list);
      this.queue = list.lastQueue;
    }
    if (this.queue !== queue) this.setQueue(queue);
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

  /** Lists are done: first what waited for them is destroyed, then what they ask for themselves. */
  #finish(destroys: readonly number[]): void {
    const subLists = this.#subLists;
    for (let handle = subLists.takeReleased(); handle; handle = subLists.takeReleased()) {
      write1(this.writer, RhiOpcode.destroyResource, handle);
    }
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

/**
 * Executes RHI command lists on WebGPU: one loop that decodes a record and makes its call.
 *
 *   reader ─► beginFrame ─► creates, writes ─► passes, draws ─► endFrame ─► submit ─► number k + 1
 *               │ waits while submitted − completed ≥ maxFramesInFlight           │
 *               │                                                    GPU done ─► completed = k + 1
 *               └──────────────── goes on at that event ◄────────────────────────────┘ purge
 *
 * Nothing blocks: where a list must wait, its record is held, `pump` returns, and the event calls it again.
 * An error costs the record it happened in; the rest of the list is executed. Per draw: allocates nothing.
 */
import {
  asStreamError,
  type FencepostError,
  isStreamError,
  isTyped,
  messageOf,
  RhiError,
} from '../../core/errors.js';
import { EventRing, TimelineEvent } from '../../core/event-ring.js';
import { isPageCursor, type PageCursor, type StreamReader } from '../../core/stream.js';
import { Fence } from '../../sync/fence.js';
import { canSubmit } from '../../sync/in-flight-limit.js';
import { FrameFlag, RhiOpcode, rhiCommands } from '../commands/commands.js';
import { handleKind } from '../commands/handles.js';
import { closeAttachment } from '../commands/record-attachments.js';
import { type Executor, type ExecutorOptions, emptyFrameStats, type LeakReport } from '../host/executor.js';
import { ReleaseQueue } from '../memory/release-queue.js';
import { executeCreate, executeTransfer } from './cold-commands.js';
import type { ExecutorExtension, ExecutorParts, ExtensionFactory, Releasable } from './extension.js';
import { ListEncoder } from './list-encoder.js';
import { preferredSurfaceFormat } from './open-device.js';
import type { PassBundles } from './pass-bundles.js';
import { PassDescriptors } from './pass-descriptors.js';
import { PassEncoder } from './pass-encoder.js';
import { Resources } from './resources.js';
import { Transfers } from './transfers.js';
import { Viewport } from './viewport.js';

/** Of a device, or what stands before it where several executors share one. */
export interface GpuErrorSource {
  addEventListener(type: 'uncapturederror', listener: (event: GPUUncapturedErrorEvent) => void): void;
  removeEventListener(type: 'uncapturederror', listener: (event: GPUUncapturedErrorEvent) => void): void;
}

export interface WebGpuExecutorOptions extends ExecutorOptions {
  /** Stays the caller's: `dispose` does not destroy it. */
  readonly device: GPUDevice;
  /** Format of the surface's texture; default: what the browser prefers, else `rgba8unorm`. */
  readonly surfaceFormat?: GPUTextureFormat;
  /** Where the GPU's errors come from; default: the device. */
  readonly gpuErrors?: GpuErrorSource;
  /** Commands beyond those a renderer records every frame. */
  readonly extension?: ExtensionFactory;
}

/** Distinct messages reported; an error that comes back every frame is said once. */
const MAXIMUM_REPORTS = 256;

export class WebGpuExecutor implements Executor {
  readonly submitted = new Fence('submitted');
  readonly completed = new Fence('completed');
  readonly stats = emptyFrameStats();
  /** For what is made after the executor, such as `passBundles` and `parts.timer`. */
  readonly parts: ExecutorParts;
  /** Set it to have passes that stay the same replayed. It takes over at a pass's begin, record by record or whole. */
  passBundles: PassBundles | undefined;

  readonly #device: GPUDevice;
  readonly #errors: GpuErrorSource;
  readonly #reader: StreamReader;
  readonly #cursor: PageCursor | null;
  readonly #options: WebGpuExecutorOptions;
  readonly #events: EventRing;
  readonly #resources: Resources;
  readonly #releases = new ReleaseQueue<Releasable>(freeGpuObject);
  readonly #list: ListEncoder;
  readonly #pass: PassEncoder;
  readonly #passDescriptors: PassDescriptors;
  readonly #transfers: Transfers;
  readonly #viewport: Viewport;
  readonly #extension: ExecutorExtension | undefined;
  readonly #reported = new Set<string>();

  #frame = 0;
  #frameFlags = 0;
  #isInFrame = false;
  /** The reader's current record has not been executed yet. */
  #isHeld = false;
  #isPumping = false;
  #isWaitingForGpu = false;
  /** For pipelines, or for what an extension awaits. */
  #isSuspended = false;
  /** Or disposed of. */
  #isLost = false;
  #isDisposing = false;
  #isDisposed = false;
  #milliseconds = 0;
  #resumedAt = 0;
  /** 0: it does not wait. */
  #waitBegan = 0;

  constructor(options: WebGpuExecutorOptions) {
    const { device, reader, surface, onReadback, events = new EventRing() } = options;
    const report = (error: unknown): void => this.#report(error);
    const acquire = (): void => this.#viewport.acquire();
    this.#options = options;
    this.#events = events;
    this.#device = device;
    this.#reader = reader;
    this.#cursor = isPageCursor(reader) ? reader : null;
    this.#viewport = new Viewport(device, surface, options.surfaceFormat ?? preferredSurfaceFormat());
    this.#resources = new Resources(device, reader, report);
    this.#list = new ListEncoder(device, () => this.#transfers.uploads.close(this.submitted.value));
    this.#pass = new PassEncoder(this.#resources, report);
    this.#passDescriptors = new PassDescriptors(this.#resources, acquire);
    this.#transfers = new Transfers(device, this.#resources, this.#list, acquire, onReadback, report);
    this.#transfers.onRead = () => this.purge();
    this.parts = {
      device,
      options,
      resources: this.#resources,
      list: this.#list,
      pass: this.#pass,
      transfers: this.#transfers,
      viewport: this.#viewport,
      submitted: this.submitted,
      completed: this.completed,
      outsidePass: () => this.#outsidePass(),
      endForgottenPass: () => this.#endForgottenPass(),
      mustWaitForPipelines: () => this.#mustWaitForPipelines(),
      hold: (until) => this.#hold(until),
      release: (object) => this.#release(object),
      report,
    };
    this.#extension = options.extension?.(this.parts);
    this.#errors = options.gpuErrors ?? device;
    this.#errors.addEventListener('uncapturederror', this.#onUncapturedError);
    device.lost.then((info) => this.#onLost(info));
    reader.onAvailable = () => this.pump();
  }

  /** Bytes of upload pages: now, and at most so far. */
  get uploadPageBytes(): { readonly now: number; readonly peak: number } {
    const { totalBytes, peakBytes } = this.#transfers.uploads;
    return { now: totalBytes, peak: peakBytes };
  }

  pump(): void {
    if (this.#isPumping || this.#isWaitingForGpu || this.#isSuspended || this.#isDisposed) return;
    this.#isPumping = true;
    this.#resumedAt = performance.now();
    try {
      while (!this.#executeUntilError()) {
        // The record that failed is over; go on with the next.
      }
      if (!this.#isInFrame) this.#endOutsideFrame();
    } finally {
      this.#milliseconds += performance.now() - this.#resumedAt;
      if (this.#isInFrame) this.#events.end(TimelineEvent.execute, this.#frame, this.#resumedAt);
      this.#isPumping = false;
    }
  }

  whenPipelinesReady(): Promise<void> {
    return this.#resources.whenPipelinesReady();
  }

  purge(): void {
    const { value } = this.completed;
    const { isEmpty } = this.#list;
    const isIdle =
      value === this.submitted.value && !this.#isInFrame && isEmpty && !this.#transfers.isReading;
    // What is paired with the next list need not wait for it: nothing recorded so far will be in it.
    const completed = isIdle ? value + 1 : value;
    this.#releases.purge(completed);
    this.#transfers.uploads.recycle(completed);
    this.stats.liveResources = this.#resources.count;
    this.stats.pendingReleases = this.#releases.length;
  }

  dispose(keepsSurface = false): LeakReport {
    // Also when a listener calls it while this is under way.
    if (this.#isDisposing) return { leaks: [] };
    this.#isDisposing = true;
    // What is still in the stream is executed without waiting: the destroys of whoever recorded are behind it. Where a
    // listener calls this in the middle of a record, that record is the last.
    this.#isWaitingForGpu = this.#isSuspended = false;
    this.pump();
    // Whatever still comes, of this record or the GPU, is nobody's error.
    this.#isDisposed = this.#isLost = true;
    this.#reader.onAvailable = null;
    this.#reader.close();
    this.#errors.removeEventListener('uncapturederror', this.#onUncapturedError);
    const leaks = [...this.#resources.tables].flatMap((table) => table?.leaks() ?? []);
    const free = (): void => {
      // Destroying after submitting is safe in WebGPU, so nothing is waited for.
      for (const table of this.#resources.tables) {
        for (const resource of table?.values() ?? []) freeGpuObject(resource);
      }
      this.#releases.purgeAll();
      this.#extension?.dispose?.();
      this.#transfers.uploads.dispose();
      this.parts.timer?.dispose();
      this.#viewport.dispose(keepsSurface);
    };
    // The record that is under way may still submit what uses all this.
    if (this.#isPumping) queueMicrotask(free);
    else free();
    const error = new RhiError(
      'executor-disposed',
      'The executor was disposed of; nothing more will complete.',
    );
    this.submitted.fail(error);
    this.completed.fail(error);
    return { leaks };
  }

  /** Per record. True when nothing is left, or the list waits; false after an error. */
  #executeUntilError(): boolean {
    const reader = this.#reader;
    const pass = this.#pass;
    try {
      if (this.passBundles?.resume() === false) return true;
      while (this.#isHeld || this.#next(reader)) {
        this.#isHeld = false;
        const { opcode, words, fields } = reader;
        if (pass.execute(opcode, words, reader.ints, fields)) continue;
        switch (opcode) {
          case RhiOpcode.writeBuffer:
            this.#outsidePass();
            this.#transfers.writeBuffer(words, fields, reader.fieldWords);
            break;
          case RhiOpcode.setGraphicsPipeline:
            if (this.#mustWaitForPipelines()) return true;
            pass.setGraphicsPipeline(words[fields]);
            break;
          default:
            if (!this.#executeRare(reader, words, fields)) return true;
        }
      }
      return true;
    } catch (error) {
      const isBroken = isStreamError(error);
      if (isBroken) this.#fail(error);
      else this.#report(isTyped(error) ? error : commandRefused(reader.opcode, error));
      return isBroken || this.#isDisposed;
    }
  }

  /** Executes what can be executed at once, and moves to the record behind. */
  #next(reader: StreamReader): boolean {
    if (this.#cursor !== null && this.#pass.isOpen) this.parts.runs?.execute(this.#cursor);
    try {
      return reader.next();
    } catch (error) {
      // It would throw for ever.
      this.#fail(asStreamError(error as Error));
      return false;
    }
  }

  /** Per frame, per pass, or rarer. False when the list must wait before this record. */
  #executeRare(reader: StreamReader, words: Uint32Array, fields: number): boolean {
    const pass = this.#pass;
    const resources = this.#resources;
    const first = words[fields];
    if (this.#isLost) {
      this.#drop(reader, first);
      return true;
    }
    switch (reader.opcode) {
      case RhiOpcode.beginFrame:
        return this.#beginFrame(first, words[fields + 1]);
      case RhiOpcode.endFrame:
        this.#endFrame();
        break;
      case RhiOpcode.beginDrawingViewport:
        if (this.#mustWaitForPipelines()) return false;
        resources.textures.add(this.#viewport.begin(first, words[fields + 1], words[fields + 2]));
        break;
      case RhiOpcode.endDrawingViewport:
        resources.textures.take(first);
        break;

      case RhiOpcode.beginRenderPass:
        return !this.#mustWaitForPipelines() && this.#beginRenderPass(words, fields);
      case RhiOpcode.endRenderPass:
        pass.end();
        break;
      case RhiOpcode.destroyResource: {
        const resource = resources.tables[handleKind(first)]?.take(first);
        if (resource === undefined) break;
        resources.epoch++;
        this.#release(resource);
        break;
      }
      default:
        if (executeCreate(reader, resources)) break;
        if (this.#extension?.execute(reader)) return !this.#isHeld;
        this.#outsidePass();
        if (!executeTransfer(reader, this.#transfers)) throw commandUnavailable(reader.opcode);
    }
    return true;
  }

  /** After a loss: frees the attachment that a record brings, and answers who asks for bytes with none. */
  #drop(reader: StreamReader, first: number): void {
    switch (reader.opcode) {
      case RhiOpcode.readBuffer:
        this.#options.onReadback(first, new ArrayBuffer(0));
        break;
      case RhiOpcode.writeBufferFromAttachment:
      case RhiOpcode.writeTextureFromAttachment:
      case RhiOpcode.copyExternalImage:
        closeAttachment(reader);
    }
  }

  /** False while too many frames are with the GPU (DESIGN §4.4). */
  #beginFrame(frame: number, flags: number): boolean {
    if (!this.#isDisposing && !canSubmit(this.submitted, this.completed, this.#options.maxFramesInFlight)) {
      this.#isHeld = this.#isWaitingForGpu = true;
      this.#waitBegan = this.#events.begin(TimelineEvent.rhiWait, frame);
      return false;
    }
    if (this.#waitBegan) {
      this.#events.end(TimelineEvent.rhiWait, frame, this.#waitBegan, this.completed.value);
      this.#waitBegan = 0;
    }
    this.#frame = this.#resources.frame = frame;
    this.#list.name = `frame ${frame}`;
    this.#frameFlags = flags;
    this.#isInFrame = true;
    this.#resumedAt = this.#events.begin(TimelineEvent.execute, frame);
    this.#milliseconds = 0;
    this.#pass.drawCalls = this.#pass.instances = this.#pass.skippedDraws = 0;
    this.#passDescriptors.beginFrame();
    this.parts.timer?.beginFrame();
    return true;
  }

  /** False when the rest of the pass must arrive first. */
  #beginRenderPass(words: Uint32Array, fields: number): boolean {
    this.#endForgottenPass();
    // Opened before anything can throw, so that the draws of a refused pass are counted, not lost.
    this.#pass.beginRender(null);
    const pass = this.#passDescriptors.renderPass(words, fields);
    if (pass === null) return true;
    const { gpu, source } = pass;
    this.parts.renderPass = source;
    if (!source.timestampWrites) gpu.timestampWrites = this.parts.timer?.passWrites();
    this.#pass.beginRender(this.#list.current.beginRenderPass(gpu));
    return this.passBundles?.begin(source) !== false;
  }

  /** The one place that finishes a frame (SYSTEMS L8): submit, number, recycle, purge, report. */
  #endFrame(): void {
    const events = this.#events;
    this.#endForgottenPass();
    events.end(TimelineEvent.execute, this.#frame, this.#resumedAt, this.#transfers.uploadBytes);
    const began = events.begin(TimelineEvent.submit, this.#frame);
    if (!this.#list.isEmpty) this.parts.timer?.resolve(this.#list.current);
    this.#list.endFrame();
    this.#extension?.frameSubmitted?.();
    this.#list.name = '';
    this.#isInFrame = false;
    this.#frameFlags = 0;
    this.#viewport.release();
    // Mapped before the completion is asked for, so that a read-back always comes before it.
    this.#transfers.startReadbacks();
    this.parts.timer?.endFrame(this.#frame, this.submitted.value + 1);
    this.#device.queue.onSubmittedWorkDone().then(this.#workDone, ignore);
    const { stats } = this;
    stats.frame = this.#frame;
    stats.drawCalls = this.#pass.drawCalls;
    stats.instances = this.#pass.instances;
    stats.skippedDraws = this.#pass.skippedDraws;
    stats.uploadBytes = this.#transfers.uploadBytes;
    stats.gpuMs = this.parts.timer?.milliseconds ?? null;
    this.#transfers.uploadBytes = 0;
    events.end(TimelineEvent.submit, this.#frame, began, stats.liveResources);
    this.submitted.signal(this.submitted.value + 1);
    this.purge();
    stats.rhiThreadMs = this.#milliseconds + performance.now() - this.#resumedAt;
    if (!this.#isDisposed) this.#options.onFrame?.(stats);
  }

  /** What is recorded between frames must not wait for a frame that may never come: copies, read-backs, destroys. */
  #endOutsideFrame(): void {
    if (!this.#isHeld) {
      this.#list.endFrame();
      this.#transfers.startReadbacks();
    }
    this.purge();
  }

  /** True: this frame may skip nothing, so it waits here, while it holds no canvas texture. */
  #mustWaitForPipelines(): boolean {
    if (this.#resources.pendingPipelines === 0 || this.#isDisposing) return false;
    if ((this.#frameFlags & FrameFlag.waitForPipelines) === 0 || this.#viewport.isAcquired) return false;
    this.#hold(this.#resources.whenPipelinesReady());
    return true;
  }

  /** The current record is executed again when the promise has settled. */
  #hold(until: Promise<unknown>): void {
    this.#isHeld = this.#isSuspended = true;
    const resume = (): void => {
      this.#isSuspended = false;
      this.pump();
    };
    until.then(resume, resume);
  }

  /** Paired with the next list's number: it may be named by what is recorded but not submitted yet. */
  #release(object: Releasable): void {
    this.#releases.release(object, this.submitted.value);
  }

  #outsidePass(): void {
    if (!this.#pass.isOpen) return;
    throw new RhiError(
      'command-inside-pass',
      'A write or copy was recorded in a pass, where WebGPU has none. Record it before the pass.',
    );
  }

  #endForgottenPass(): void {
    if (!this.#pass.isOpen) return;
    this.#pass.end();
    this.#report(
      new RhiError(
        'pass-not-ended',
        'A pass was still open at the next one, or at the end of the frame. End it first.',
      ),
    );
  }

  // One more turn of the microtask queue, so that a loss settled together with this is known first.
  readonly #workDone = (): void => queueMicrotask(this.#onWorkDone);

  readonly #onWorkDone = (): void => {
    // A lost device settles this promise as well, and completions after a loss don't count.
    if (this.#isLost) return;
    this.completed.signal(this.completed.value + 1);
    const began = this.#events.begin(TimelineEvent.purge, 0);
    this.purge();
    this.#events.end(TimelineEvent.purge, 0, began, this.completed.value);
    if (!this.#isWaitingForGpu) return;
    this.#isWaitingForGpu = false;
    this.pump();
  };

  readonly #onUncapturedError = ({ error: { message } }: GPUUncapturedErrorEvent): void => {
    // The list that holds the command is invalid too, and its submission: the cause has been reported.
    if (this.#reported.size > 0 && message.includes('due to a previous error')) return;
    const key = message.replace(/frame \d+/g, '');
    // Which frame it was, the message says: by the label of the encoder.
    this.#report(new RhiError('gpu-uncaptured', `The GPU refused a command: ${message}`), key);
  };

  #onLost({ reason, message }: GPUDeviceLostInfo): void {
    if (this.#isDisposed) return;
    this.#fail(
      new RhiError(
        'device-lost',
        `The GPU device was lost in frame ${this.#frame} (${reason}): ${message} Create a new device and everything on it.`,
        { details: { reason, message } },
      ),
    );
    // What still comes is read and dropped, so that its pages go back to the writer.
    this.#isWaitingForGpu = this.#isSuspended = false;
    this.#extension?.deviceLost?.();
    this.pump();
    // Those of a frame whose end is dropped: no mapping succeeds any more, and each is answered with no bytes.
    this.#transfers.startReadbacks();
  }

  /** Ends everything: sticky, and every waiter gets the error. */
  #fail(error: FencepostError): void {
    if (this.#isLost) return;
    this.#isLost = true;
    // The fences first: who hears of the error finds them failed.
    this.submitted.fail(error);
    this.completed.fail(error);
    this.#options.onError(error);
  }

  /** @param key what makes the error another one than those reported before */
  #report(error: unknown, key = String(error)): void {
    if (this.#isLost || this.#reported.has(key) || this.#reported.size >= MAXIMUM_REPORTS) return;
    this.#reported.add(key);
    this.#options.onError(error);
  }
}

/** For what WebGPU throws at once: arguments that it can't even understand. */
function commandRefused(opcode: number, cause: unknown): RhiError {
  return new RhiError(
    'command-refused',
    `The command "${rhiCommands.names[opcode]}" was refused: ${messageOf(cause)} Correct its arguments.`,
    { cause },
  );
}

function commandUnavailable(opcode: number): RhiError {
  return new RhiError(
    'command-unavailable',
    `This executor does not know "${rhiCommands.names[opcode]}". Give it the extension that does.`,
  );
}

function freeGpuObject({ gpu }: Releasable): void {
  // Pipelines, bind groups, samplers and shader modules have nothing to destroy; dropping them is enough.
  (gpu as { destroy?: () => void } | null)?.destroy?.();
}

function ignore(): void {}

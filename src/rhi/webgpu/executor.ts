/**
 * Executes RHI command lists on WebGPU: one loop that decodes a record and calls its handler (`handlers.ts`).
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
import { canSubmit } from '../../sync/in-flight-limit.js';
import type { QueuedFence } from '../../sync/monitored/fence-queue.js';
import { PrivateFence } from '../../sync/monitored/private-fence.js';
import type { SignallableFence } from '../../sync/waitable.js';
import { FrameFlag, RhiOpcode, rhiCommands } from '../commands/commands.js';
import type { FenceHandle } from '../commands/descriptors.js';
import { closeAttachment } from '../commands/record-attachments.js';
import { type ExecutorOptions, emptyFrameStats, type LeakReport } from '../host/executor.js';
import { ReleaseQueue } from '../memory/release-queue.js';
import type { CompleteCommandOptions, CompleteExecutor } from '../record/complete-options.js';
import type { ErrorScopes } from './error-scopes.js';
import type { FenceCommands } from './fences.js';
import { GpuErrors } from './gpu-errors.js';
import { type HandlersByName, handlerTable } from './handlers.js';
import {
  destroyGpuObject,
  type ExecutorHost,
  ExecutorParts,
  type Releasable,
  type SeldomSource,
} from './parts.js';

export interface WebGpuExecutorOptions extends ExecutorOptions, CompleteCommandOptions {
  /** Stays the caller's: `dispose` does not destroy it. */
  readonly device: GPUDevice;
  /** Format of the surface's texture; default: what the browser prefers, else `rgba8unorm`. */
  readonly surfaceFormat?: GPUTextureFormat;
  /**
   * Bytes of memory for writes in the middle of a list, at most (SYSTEMS M6): what does not fit waits until the GPU has
   * caught up. Default 268,435,456.
   */
  readonly maximumUploadBytes?: number;
}

/** How an executor is composed by who makes it, rather than by who uses it. */
export interface ExecutorComposition {
  readonly seldom: SeldomSource;
  /** Passes are timed where the device can, from the start; else from `measureGpu` on. Default true. */
  readonly isMeasured?: boolean;
  /** Handlers in the place of those that the commands have. */
  readonly handlers?: Partial<HandlersByName>;
  /** With it, what WebGPU finds wrong is told as `gpu-validation`: see `error-scopes.ts`. Validation brings it. */
  readonly errorScopes?: typeof ErrorScopes | undefined;
}

const NO_TIMES: ReadonlyMap<string, number> = new Map();

/** Distinct messages reported; an error that comes back every frame is said once. */
const MAXIMUM_REPORTS = 256;

export class LoadingExecutor implements CompleteExecutor {
  readonly submitted = new PrivateFence('submitted');
  readonly completed = new PrivateFence('completed');
  readonly completedFrames = new PrivateFence('completed frames');
  readonly stats = emptyFrameStats();
  /** For captures, which copy what the resources hold. */
  readonly parts: ExecutorParts;

  readonly #errors: GpuErrors;
  readonly #reader: StreamReader;
  readonly #cursor: PageCursor | null;
  readonly #options: WebGpuExecutorOptions;
  readonly #events: EventRing;
  readonly #releases = new ReleaseQueue<Releasable>((object) =>
    destroyGpuObject(object, this.parts.resources.memory),
  );
  /** Short-lived ones are many, so that what holds memory does not stand in line behind them (SYSTEMS L2). */
  readonly #descriptors = new ReleaseQueue<Releasable>((object) =>
    destroyGpuObject(object, this.parts.resources.memory),
  );
  readonly #reported = new Set<string>();

  #frame = 0;
  #frameFlags = 0;
  #isInFrame = false;
  /** The reader's current record has not been executed yet. */
  #isHeld = false;
  #isPumping = false;
  #isWaitingForGpu = false;
  /** For pipelines, or for a fence. */
  #isSuspended = false;
  /** Or disposed of. */
  #isLost = false;
  #isDisposed = false;
  #milliseconds = 0;
  #resumedAt = 0;
  /** 0: it does not wait. */
  #waitBegan = 0;

  constructor(
    options: WebGpuExecutorOptions,
    { isMeasured = true, handlers, errorScopes, seldom }: ExecutorComposition,
  ) {
    const { device, reader, events = new EventRing() } = options;
    this.#options = options;
    this.#events = events;
    this.#reader = reader;
    this.#cursor = isPageCursor(reader) ? reader : null;
    const host: ExecutorHost = {
      submitted: this.submitted,
      completed: this.completed,
      beginFrame: (frame, flags) => this.#beginFrame(frame, flags),
      endFrame: () => this.#endFrame(),
      mustWaitForPipelines: () => this.#mustWaitForPipelines(),
      hold: (until) => this.#hold(until),
      // Paired with the next list's number: it may be named by what is recorded but not submitted yet.
      release: (object, isDescriptor) =>
        (isDescriptor ? this.#descriptors : this.#releases).release(object, this.submitted.value),
      purge: () => this.purge(),
      report: (error) => this.#report(scopes === null ? error : scopes.translate(error)),
    };
    const scopes = errorScopes ? new errorScopes(device, host.report) : null;
    const table = handlerTable(handlers);
    this.parts = new ExecutorParts(options, host, scopes?.wrap(table) ?? table, seldom);
    this.parts.list.scopes = scopes;
    if (isMeasured) this.parts.seldom?.timer.start();
    this.#errors = new GpuErrors(device, this.parts.resources, this.#onUncapturedError);
    this.parts.list.owner = this.#errors.owner;
    device.lost.then((info) => this.#onLost(info));
    reader.onAvailable = () => this.pump();
  }

  /** Bytes of upload pages: now, and at most so far. */
  get uploadPageBytes(): { readonly now: number; readonly peak: number } {
    const { totalBytes, peakBytes } = this.parts.transfers.uploads;
    return { now: totalBytes, peak: peakBytes };
  }

  /** Passes are timed from the next frame on, where the device can. Rejects with `features-missing`. */
  async measureGpu(): Promise<void> {
    const { timer } = await this.parts.loadSeldom();
    if (!this.#isLost) timer.start();
  }

  /** Latest GPU times of passes by their labels, in milliseconds; none before `measureGpu`, and where the device has no timestamps. */
  get passMilliseconds(): ReadonlyMap<string, number> {
    return this.parts.seldom?.timer.passMilliseconds ?? NO_TIMES;
  }

  get #fences(): FenceCommands {
    const { seldom } = this.parts;
    if (seldom !== null) return seldom.fences;
    throw new RhiError(
      'command-not-loaded',
      'The code for fences is not loaded yet. Await `parts.loadSeldom()` before a fence is bound or asked for.',
    );
  }

  fence(handle: FenceHandle): SignallableFence {
    return this.#fences.fence(handle);
  }

  bindFence(handle: FenceHandle, fence: QueuedFence): void {
    this.#fences.bind(handle, fence);
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
    return this.parts.resources.whenPipelinesReady();
  }

  purge(): void {
    const { value } = this.completed;
    const { list, transfers, resources } = this.parts;
    const isIdle = value === this.submitted.value && !this.#isInFrame && list.isEmpty && !transfers.isReading;
    // What is paired with the next list need not wait for it: nothing recorded so far will be in it.
    const completed = isIdle ? value + 1 : value;
    this.#releases.purge(completed);
    this.#descriptors.purge(completed);
    transfers.uploads.recycle(completed);
    this.stats.liveResources = resources.count;
    this.stats.pendingDescriptors = this.#descriptors.length;
    this.stats.pendingReleases = this.#releases.length + this.#descriptors.length;
  }

  dispose(keepsSurface = false): LeakReport {
    // Also when a listener calls it while this is under way.
    if (this.parts.isDisposing) return { leaks: [] };
    this.parts.isDisposing = true;
    const { parts } = this;
    // What is still in the stream is executed without waiting: the destroys of whoever recorded are behind it. Where a
    // listener calls this in the middle of a record, that record is the last.
    this.#isWaitingForGpu = this.#isSuspended = false;
    this.pump();
    // Whatever still comes, of this record or the GPU, is nobody's error.
    this.#isDisposed = this.#isLost = true;
    this.#reader.onAvailable = null;
    this.#reader.close(this.#options.closeReason?.());
    this.#errors.dispose();
    const leaks = [...parts.resources.tables].flatMap((table) => table?.leaks() ?? []);
    const free = (): void => {
      // Destroying after submitting is safe in WebGPU, so nothing is waited for.
      for (const table of parts.resources.tables) {
        for (const resource of table?.values() ?? []) destroyGpuObject(resource, parts.resources.memory);
      }
      this.#releases.purgeAll();
      this.#descriptors.purgeAll();
      parts.transfers.uploads.dispose();
      parts.seldom?.dispose();
      parts.viewport.dispose(keepsSurface);
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
    this.completedFrames.fail(error);
    return { leaks };
  }

  /** Per record. True when nothing is left, or the list waits; false after an error. */
  #executeUntilError(): boolean {
    const reader = this.#reader;
    const { parts } = this;
    const { handlers } = parts;
    try {
      while (this.#isHeld || this.#next(reader)) {
        this.#isHeld = false;
        const handler = handlers[reader.opcode];
        if (handler === undefined) throw unknownCommand(reader.opcode);
        if (this.#isLost) this.#drop(reader);
        else handler(parts, reader);
        if (this.#isHeld) break;
      }
      return true;
    } catch (error) {
      const isBroken = isStreamError(error) || (isTyped(error) && error.code === 'surface-lost');
      if (isBroken) this.#fail(error);
      else this.#report(isTyped(error) ? error : commandRefused(reader.opcode, error));
      return isBroken || this.#isDisposed;
    }
  }

  /** Executes the draws that come next straight from the page, and moves to the record behind. */
  #next(reader: StreamReader): boolean {
    if (this.#cursor !== null && this.parts.pass.isOpen) this.parts.draws.execute(this.#cursor);
    try {
      return reader.next();
    } catch (error) {
      // It would throw for ever.
      this.#fail(asStreamError(error as Error));
      return false;
    }
  }

  /** After a loss: frees the attachment that a record brings, and answers who asks for bytes with none. */
  #drop(reader: StreamReader): void {
    const { opcode, words, fields } = reader;
    if (opcode === RhiOpcode.readBuffer) this.#options.onReadback(words[fields], new ArrayBuffer(0));
    else closeAttachment(reader);
  }

  /** Held while too many frames are with the GPU (DESIGN §4.4). */
  #beginFrame(frame: number, flags: number): void {
    if (
      !this.parts.isDisposing &&
      !canSubmit(this.submitted, this.completed, this.#options.maxFramesInFlight)
    ) {
      this.#isHeld = this.#isWaitingForGpu = true;
      this.#waitBegan = this.#events.begin(TimelineEvent.rhiWait, frame);
      return;
    }
    if (this.#waitBegan) {
      this.#events.end(TimelineEvent.rhiWait, frame, this.#waitBegan, this.completed.value);
      this.#waitBegan = 0;
    }
    const { resources, list, pass, passDescriptors, seldom } = this.parts;
    this.#frame = resources.frame = frame;
    list.name = `frame ${frame}`;
    this.#frameFlags = flags;
    this.parts.viewport.isTranslucent = (flags & FrameFlag.translucentSurface) !== 0;
    this.#isInFrame = true;
    this.#resumedAt = this.#events.begin(TimelineEvent.execute, frame);
    this.#milliseconds = 0;
    pass.drawCalls = pass.instances = pass.skippedDraws = 0;
    passDescriptors.beginFrame();
    seldom?.timer.beginFrame();
  }

  /** The one place that finishes a frame (SYSTEMS L8): submit, number, recycle, purge, report. */
  #endFrame(): void {
    const events = this.#events;
    const { parts } = this;
    const { list, pass, transfers, seldom } = parts;
    parts.endForgottenPass();
    events.end(TimelineEvent.execute, this.#frame, this.#resumedAt, transfers.uploadBytes);
    const began = events.begin(TimelineEvent.submit, this.#frame);
    if (!list.isEmpty) seldom?.timer.resolve(list.current);
    list.end();
    seldom?.frameSubmitted();
    list.name = '';
    this.#isInFrame = false;
    this.#frameFlags = 0;
    parts.viewport.release();
    // Mapped before the completion is asked for, so that a read-back always comes before it.
    transfers.startReadbacks();
    seldom?.timer.endFrame(this.#frame, this.submitted.value + 1);
    parts.device.queue.onSubmittedWorkDone().then(this.#frameDone, ignore);
    const { stats } = this;
    stats.frame = this.#frame;
    stats.drawCalls = pass.drawCalls;
    stats.instances = pass.instances;
    stats.skippedDraws = pass.skippedDraws;
    stats.uploadBytes = transfers.uploadBytes;
    stats.gpuMs = seldom?.timer.milliseconds ?? null;
    transfers.uploadBytes = 0;
    events.end(TimelineEvent.submit, this.#frame, began, stats.liveResources);
    this.submitted.signal(this.submitted.value + 1);
    this.purge();
    stats.rhiThreadMs = this.#milliseconds + performance.now() - this.#resumedAt;
    if (!this.#isDisposed) this.#options.onFrame?.(stats);
  }

  /**
   * What is recorded between frames must not wait for a frame that may never come: copies, read-backs, destroys. What the
   * GPU was given is a list with a number of its own (SYSTEMS L1).
   */
  #endOutsideFrame(): void {
    if (!this.#isHeld) {
      const { list, transfers, device } = this.parts;
      const hasSubmitted = list.end() || transfers.isReadingSoon;
      transfers.startReadbacks();
      if (hasSubmitted) {
        device.queue.onSubmittedWorkDone().then(this.#listDone, ignore);
        this.submitted.signal(this.submitted.value + 1);
      }
    }
    this.purge();
  }

  /**
   * True: what is executed may skip nothing, so it waits here, while it holds no canvas texture. Frames say whether they
   * may; between frames there is no picture to be late for.
   */
  #mustWaitForPipelines(): boolean {
    const { resources, viewport } = this.parts;
    if (resources.pendingPipelines === 0 || this.parts.isDisposing) return false;
    const maySkip = this.#isInFrame && (this.#frameFlags & FrameFlag.waitForPipelines) === 0;
    if (maySkip || viewport.isAcquired) return false;
    this.#hold(resources.whenPipelinesReady());
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

  // One more turn of the microtask queue, so that a loss settled together with this is known first.
  readonly #frameDone = (): void => queueMicrotask(() => this.#onListDone(true));
  readonly #listDone = (): void => queueMicrotask(() => this.#onListDone(false));

  #onListDone(isFrame: boolean): void {
    // A lost device settles this promise as well, and completions after a loss don't count.
    if (this.#isLost) return;
    if (isFrame) this.completedFrames.signal(this.completedFrames.value + 1);
    this.completed.signal(this.completed.value + 1);
    const began = this.#events.begin(TimelineEvent.purge, 0);
    this.purge();
    this.#events.end(TimelineEvent.purge, 0, began, this.completed.value);
    if (!this.#isWaitingForGpu) return;
    this.#isWaitingForGpu = false;
    this.pump();
  }

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
    this.pump();
    // Those of a frame whose end is dropped: no mapping succeeds any more, and each is answered with no bytes.
    this.parts.transfers.startReadbacks();
  }

  /** Ends everything: sticky, and every waiter gets the error. */
  #fail(error: FencepostError): void {
    if (this.#isLost) return;
    this.#isLost = true;
    // The fences first: who hears of the error finds them failed.
    this.submitted.fail(error);
    this.completed.fail(error);
    this.completedFrames.fail(error);
    this.#options.onError(error);
  }

  /** @param key what makes the error another one than those reported before */
  #report(error: unknown, key = String(error).replace(/frame \d+/g, '')): void {
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

function unknownCommand(opcode: number): RhiError {
  return new RhiError(
    'bad-record',
    `A record has the opcode ${opcode}, which is no command's. Record it with a context of this version.`,
  );
}

function ignore(): void {}

/**
 * Executes RHI command lists on every backend. This file has the loop over records, and handles frame numbers, waits,
 * releases, errors and the disposal. A backend executes the single records (`webgpu/executor.ts`, `null/executor.ts`).
 *
 *   reader ─► beginFrame ─► creates, writes ─► passes, draws ─► endFrame ─► submit ─► number k + 1
 *               │ waits while submitted − completed ≥ maxFramesInFlight           │
 *               │                                                    GPU done ─► completed = k + 1
 *               └──────────────── continues at that event ◄────────────────────────────┘ purge
 *
 * The loop never blocks: if a list must wait, its record is held and `pump` returns. The awaited event calls `pump`
 * again. An error affects only its own record; the rest of the list is executed. Per draw, nothing is allocated.
 */
import { asStreamError, type FencepostError, isStreamError, isTyped, RhiError } from '../../core/errors.js';
import { EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { closeAttachment } from '../../core/records/record-fields.js';
import { isPageCursor, type PageCursor, type StreamReader } from '../../core/streams/stream.js';
import type { QueuedFence } from '../../sync/fences/fence-queue.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { canSubmit } from '../../sync/in-flight-limit.js';
import type { SignallableFence } from '../../sync/waitable.js';
import { RhiOpcode } from '../commands/commands.js';
import type { FenceHandle } from '../commands/descriptors.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { ReleaseQueue } from '../memory/release-queue.js';
import type { Backend, ExecutorHost } from './backend.js';
import { type Executor, type ExecutorOptions, emptyFrameStats, type LeakReport } from './executor.js';
import { asReported, unknownCommand } from './record-errors.js';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Maximum number of distinct errors that are reported, unless the backend sets `repeatsErrors`. */
const MAXIMUM_REPORTS = 256;

export class ListExecutor<Its extends Backend> implements Executor {
  readonly submitted = new PrivateFence('submitted');
  readonly completed = new PrivateFence('completed');
  readonly completedFrames = new PrivateFence('completed frames');
  readonly stats = emptyFrameStats();
  /** @internal */
  readonly backend: Its;

  readonly #reader: StreamReader;
  readonly #cursor: PageCursor | null;
  readonly #options: ExecutorOptions;
  readonly #events: EventRing;
  readonly #releases = new ReleaseQueue<object>((resource) => this.backend.free(resource));
  /**
   * Released bind groups, bind group layouts and samplers. They are numerous and short-lived. A queue of their own
   * keeps them from delaying resources with memory (SYSTEMS L2).
   */
  readonly #descriptors = new ReleaseQueue<object>((resource) => this.backend.free(resource));
  readonly #reported = new Set<string>();

  /** Numbers of submitted frames, oldest first. */
  readonly #framesInFlight: number[] = [];
  #isInFrame = false;
  #isPumping = false;
  #isWaitingForGpu = false;
  /** Whether the executor waits for pipelines or for a fence. */
  #isSuspended = false;
  /** Whether the device is lost, or the executor disposed of. */
  #isLost = false;
  #isDisposed = false;
  #milliseconds = 0;
  #resumedAt = 0;
  /** Time at which the wait for the GPU began, in milliseconds; 0 if the executor does not wait. */
  #waitBegan = 0;

  readonly #host: Mutable<ExecutorHost> = {
    submitted: this.submitted,
    completed: this.completed,
    isDisposing: false,
    isHeld: false,
    hasReported: false,
    beginFrame: (frame, flags) => this.#beginFrame(frame, flags),
    endFrame: () => this.#endFrame(),
    hold: (until) => this.#hold(until),
    // Paired with the number of the next submitted list, because commands of that list may use the resource.
    release: (resource, isDescriptor) =>
      (isDescriptor ? this.#descriptors : this.#releases).release(resource, this.submitted.value),
    purge: () => this.purge(),
    report: (error, key) => this.#report(this.backend.translate?.(error) ?? error, key),
    fail: (error) => {
      if (this.#isDisposed) return;
      this.#fail(error);
      this.#isWaitingForGpu = this.#isSuspended = false;
      this.pump();
    },
    execute: (record) => {
      try {
        this.#execute(record);
      } catch (error) {
        this.#report(asReported(record, error));
      }
    },
  };

  constructor(options: ExecutorOptions, createBackend: (host: ExecutorHost) => Its) {
    const { reader, events = new EventRing() } = options;
    this.#options = options;
    this.#events = events;
    this.#reader = reader;
    this.#cursor = isPageCursor(reader) ? reader : null;
    this.backend = createBackend(this.#host);
    reader.onAvailable = () => this.pump();
  }

  fence(handle: FenceHandle): SignallableFence {
    // Handles of callers have a mark above 32 bits (`handles.ts`); handles in records do not.
    return this.backend.fences.table.get(handle >>> 0).fence;
  }

  bindFence(handle: FenceHandle, fence: QueuedFence): void {
    this.backend.fences.table.bind(handle, fence);
  }

  workRefused(): void {
    this.backend.pass.workRefused?.();
  }

  pump(): void {
    if (this.#isPumping || this.#isWaitingForGpu || this.#isSuspended || this.#isDisposed) return;
    this.#isPumping = true;
    this.#resumedAt = performance.now();
    try {
      while (!this.#executeUntilError()) {
        // The failed record is done; continue with the next record.
      }
      if (!this.#isInFrame) {
        // Copies, read-backs and destroys between frames must not wait for a frame that may never come. Their commands
        // form a list with a number of its own (SYSTEMS L1).
        if (!this.#host.isHeld && this.backend.endList?.()) this.#submitted(this.#onListDone);
        this.purge();
      }
    } finally {
      this.#milliseconds += performance.now() - this.#resumedAt;
      if (this.#isInFrame)
        this.#events.end(TimelineEvent.execute, this.backend.resources.frame, this.#resumedAt);
      this.#isPumping = false;
    }
  }

  whenPipelinesReady(): Promise<void> {
    return Promise.resolve();
  }

  purge(): void {
    this.#purge();
    if (!this.#isDisposed) this.#options.onPurge?.();
  }

  #purge(): void {
    const { value } = this.completed;
    const isIdle = value === this.submitted.value && !this.#isInFrame && this.backend.isIdle;
    // When idle, resources paired with the next list need not wait for that list, because it has no commands yet.
    const completed = isIdle ? value + 1 : value;
    this.#releases.purge(completed);
    this.#descriptors.purge(completed);
    this.backend.recycle?.(completed);
    let count = 0;
    // The loop uses an index, not an iterator: V8 does not optimize code that runs so rarely, so an iterator would
    // allocate in each frame.
    const { tables } = this.backend.resources;
    for (let kind = 1; kind < tables.length; kind++) count += tables[kind]?.count ?? 0;
    this.stats.liveResources = count;
    this.stats.pendingDescriptors = this.#descriptors.length;
    this.stats.pendingReleases = this.#releases.length + this.#descriptors.length;
  }

  dispose(keepsSurface = false): LeakReport {
    // A listener may call `dispose` again during the disposal.
    if (this.#host.isDisposing) return { leaks: [] };
    this.#host.isDisposing = true;
    // Records left in the stream are executed without waiting, because they end with the recorder's destroys.
    // If a listener calls `dispose` while a record is executed, no later record is executed.
    this.#isWaitingForGpu = this.#isSuspended = false;
    this.pump();
    this.#isDisposed = this.#isLost = true;
    this.#reader.onAvailable = null;
    this.#reader.close(this.#options.closeReason?.());
    const { backend } = this;
    const { tables } = backend.resources;
    const leaks = tables.flatMap((table) => table?.leaks() ?? []);
    const error = new RhiError(
      'executor-disposed',
      'The executor was disposed of, so no further work will complete.',
    );
    this.#failFences(error);
    const free = (): void => {
      // WebGPU allows destroying after submitting, so there is nothing to wait for.
      for (const table of tables) for (const each of table?.values() ?? []) backend.free(each);
      this.#releases.purgeAll();
      this.#descriptors.purgeAll();
      backend.dispose?.(keepsSurface);
    };
    // A record that is being executed may still submit commands that use these resources.
    if (this.#isPumping) queueMicrotask(free);
    else free();
    return { leaks };
  }

  /**
   * Executes records. Returns true when the stream is empty, the list waits, or the executor has ended. Returns false
   * after an error of one record. The loop runs per record.
   */
  #executeUntilError(): boolean {
    const reader = this.#reader;
    try {
      while (this.#host.isHeld || this.#next(reader)) {
        this.#host.isHeld = false;
        if (this.#isLost) this.#drop(reader);
        else this.#execute(reader);
        if (this.#host.isHeld) break;
      }
      return true;
    } catch (error) {
      const isBroken = isStreamError(error) || (isTyped(error) && error.code === 'surface-lost');
      if (isBroken) this.#fail(error);
      else this.#report(asReported(reader, error));
      return isBroken || this.#isDisposed;
    }
  }

  #execute(record: CommandRecord): void {
    try {
      if (!this.backend.execute(record)) throw unknownCommand(record.opcode);
    } catch (error) {
      this.#drop(record);
      throw error;
    }
  }

  /** Lets the backend execute records directly from the page, then moves to the next record that the backend left. */
  #next(reader: StreamReader): boolean {
    if (this.#cursor !== null) this.backend.executeRun?.(this.#cursor);
    try {
      return reader.next();
    } catch (error) {
      // A reader that has thrown would throw at every further call.
      this.#fail(asStreamError(error as Error));
      return false;
    }
  }

  /** Drops a record: frees its attachment, and answers a read-back with no bytes. */
  #drop(record: CommandRecord): void {
    const { opcode, words, fields } = record;
    if (opcode === RhiOpcode.readBuffer) this.#options.onReadback(words[fields], new ArrayBuffer(0));
    else closeAttachment(record);
  }

  #beginFrame(frame: number, flags: number): void {
    const limit = this.#options.maxFramesInFlight;
    if (!this.#host.isDisposing && !canSubmit(this.submitted, this.completed, limit)) {
      this.#host.isHeld = this.#isWaitingForGpu = true;
      this.#waitBegan = this.#events.begin(TimelineEvent.rhiWait, frame);
      return;
    }
    if (this.#waitBegan) {
      this.#events.end(TimelineEvent.rhiWait, frame, this.#waitBegan, this.completed.value);
      this.#waitBegan = 0;
    }
    const { backend } = this;
    const { pass } = backend;
    backend.resources.frame = frame;
    this.#isInFrame = true;
    this.#resumedAt = this.#events.begin(TimelineEvent.execute, frame);
    this.#milliseconds = 0;
    pass.drawCalls = pass.instances = pass.skippedDraws = 0;
    backend.beginFrame?.(frame, flags);
  }

  /** Ends a frame: submits, numbers, recycles, purges and reports. No other code ends frames (SYSTEMS L8). */
  #endFrame(): void {
    const events = this.#events;
    const { backend, stats } = this;
    const { pass } = backend;
    const { frame } = backend.resources;
    events.end(TimelineEvent.execute, frame, this.#resumedAt, backend.uploadBytes);
    const began = events.begin(TimelineEvent.submit, frame);
    backend.endFrame?.(frame, this.submitted.value + 1);
    this.#isInFrame = false;
    stats.frame = frame;
    stats.drawCalls = pass.drawCalls;
    stats.instances = pass.instances;
    stats.skippedDraws = pass.skippedDraws;
    stats.uploadBytes = backend.uploadBytes;
    stats.gpuMs = backend.gpuMilliseconds ?? null;
    backend.uploadBytes = 0;
    events.end(TimelineEvent.submit, frame, began, stats.liveResources);
    this.#framesInFlight.push(frame);
    this.#submitted(this.#onFrameDone);
    this.#purge();
    stats.rhiThreadMs = this.#milliseconds + performance.now() - this.#resumedAt;
    if (!this.#isDisposed) this.#options.onFrame?.(stats);
  }

  /** Holds the current record until the promise has settled, and executes it again. */
  #hold(until: Promise<unknown>): void {
    this.#host.isHeld = this.#isSuspended = true;
    const resume = (): void => {
      this.#isSuspended = false;
      this.pump();
    };
    until.then(resume, resume);
  }

  /** Numbers a list that was submitted to the GPU. */
  #submitted(onDone: () => void): void {
    this.submitted.signal(this.submitted.value + 1);
    this.backend.whenWorkDone(onDone);
  }

  readonly #onFrameDone = (): void => {
    if (this.#isLost) return;
    const frame = this.#framesInFlight.shift() ?? 0;
    this.completedFrames.signal(this.completedFrames.value + 1);
    this.#options.onFrameCompleted?.(frame);
    this.#onListDone();
  };

  readonly #onListDone = (): void => {
    // After a device loss, a completion does not mean that the GPU has finished the work.
    if (this.#isLost) return;
    this.completed.signal(this.completed.value + 1);
    const began = this.#events.begin(TimelineEvent.purge, 0);
    this.purge();
    this.#events.end(TimelineEvent.purge, 0, began, this.completed.value);
    if (!this.#isWaitingForGpu) return;
    this.#isWaitingForGpu = false;
    this.pump();
  };

  /** Ends the executor after a fatal error: every wait for a fence rejects with it. */
  #fail(error: FencepostError): void {
    if (this.#isLost) return;
    this.#isLost = true;
    // The fences fail first, so that error listeners find them failed.
    this.#failFences(error);
    this.#options.onError(error);
  }

  #failFences(error: FencepostError): void {
    for (const fence of [this.submitted, this.completed, this.completedFrames]) fence.fail(error);
  }

  #report(error: unknown, key = String(error).replace(/frame \d+/g, '')): void {
    if (this.#isLost) return;
    if (!this.backend.repeatsErrors) {
      if (this.#reported.has(key) || this.#reported.size >= MAXIMUM_REPORTS) return;
      this.#reported.add(key);
    }
    this.#host.hasReported = true;
    this.#options.onError(error);
  }
}

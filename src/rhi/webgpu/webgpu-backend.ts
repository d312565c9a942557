/**
 * The parts of a WebGPU executor. The handler of a command is a plain function of these parts and of the record.
 *
 *   record ─► handlers[opcode] (backend, record) ─┬─ list, pass     the commands being encoded
 *                                               ├─ resources      the WebGPU objects behind the handles
 *                                               ├─ draws, transfers
 *                                               ├─ bundles, rare  draw bundles, and commands that few lists contain
 *                                               └─ host           the executor: frames, waits, releases, errors
 */
import { RhiError } from '../../core/errors.js';
import { EventRing } from '../../core/events/event-ring.js';
import type { PageCursor } from '../../core/streams/stream.js';
import { FrameFlag } from '../commands/commands.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { type Backend, destroyReleased, type ExecutorHost, handlerTable } from '../execute/backend.js';
import type { FenceCommands } from '../execute/fence-commands.js';
import type { ErrorScopes } from './device/error-scopes.js';
import { GpuErrors } from './device/gpu-errors.js';
import { GpuWork } from './device/gpu-work.js';
import { preferredSurfaceFormat } from './device/open-device.js';
import type { ExecutorComposition, WebGpuExecutorOptions } from './executor.js';
import { handlersByName } from './handlers.js';
import { Bundles } from './passes/bundles.js';
import { Draws } from './passes/draws.js';
import { ListEncoder } from './passes/list-encoder.js';
import { PassDescriptors } from './passes/pass-descriptors.js';
import { PassEncoder } from './passes/pass-encoder.js';
import { RareCommands } from './rare-commands.js';
import type { BufferResource, GpuResource, TextureResource } from './resources/gpu-resources.js';
import { Resources } from './resources/resources.js';
import { StaleContents } from './resources/stale-contents.js';
import { StagedReads } from './transfers/staged-reads.js';
import { Transfers } from './transfers/transfers.js';
import { Viewport } from './transfers/viewport.js';

/** Executes a record. A handler that must wait calls `host.hold`, and is called again later with the same record. */
export type Handler = (backend: WebGpuBackend, record: CommandRecord) => void;

/** A resource with its WebGPU object. */
export type Ready<R extends GpuResource<unknown>> = R & { readonly gpu: NonNullable<R['gpu']> };

const ready = <R extends GpuResource<unknown>>(resource: R): Ready<R> | null =>
  resource.gpu === null ? null : (resource as Ready<R>);

export class WebGpuBackend implements Backend {
  readonly device: GPUDevice;
  readonly options: WebGpuExecutorOptions;
  readonly host: ExecutorHost;
  /** Handlers by opcode. */
  readonly handlers: readonly (Handler | undefined)[];
  readonly resources: Resources;
  readonly work: GpuWork;
  readonly list: ListEncoder;
  readonly pass: PassEncoder;
  readonly passDescriptors: PassDescriptors;
  readonly draws: Draws;
  readonly bundles: Bundles;
  readonly rare: RareCommands;
  readonly transfers: Transfers;
  readonly stagedReads: StagedReads;
  /** The viewport of the current surface. */
  viewport: Viewport;
  readonly staleContents: StaleContents;
  readonly events: EventRing;
  readonly isImmediate = false;
  /** Bytes written by the CPU since the last frame ended. */
  uploadBytes = 0;
  readonly #scopes: ErrorScopes | null;
  readonly #errors: GpuErrors;
  /** Flags of the open frame (`FrameFlag`); null between frames. */
  #frameFlags: number | null = null;

  constructor(options: WebGpuExecutorOptions, host: ExecutorHost, composition: ExecutorComposition) {
    const { device, reader, surface, events = new EventRing() } = options;
    const { isMeasured = true, errorScopes } = composition;
    this.device = device;
    this.options = options;
    this.host = host;
    this.events = events;
    this.work = new GpuWork(device);
    this.#scopes = errorScopes ? new errorScopes(device, host.report) : null;
    const table = handlerTable({ ...handlersByName, ...composition.handlers });
    this.handlers = this.#scopes?.wrap(table) ?? table;
    this.resources = new Resources(device, reader, host.report);
    const format = options.surfaceFormat ?? preferredSurfaceFormat();
    this.viewport = new Viewport(device, surface, format, this.resources.memory);
    this.#errors = new GpuErrors(device, this.resources, this.#onUncapturedError);
    this.list = new ListEncoder(device, this.#errors.owner, this.#scopes, () =>
      this.transfers.uploads.close(host.submitted.value),
    );
    this.staleContents = new StaleContents(this.resources);
    this.pass = new PassEncoder(this.resources, this.staleContents, host.report);
    this.passDescriptors = new PassDescriptors(this);
    this.draws = new Draws(this.pass, this.resources);
    this.transfers = new Transfers(this);
    this.stagedReads = new StagedReads(this);
    this.bundles = new Bundles(this);
    this.rare = new RareCommands(this);
    if (isMeasured) this.rare.timer.start();
    device.lost.then(this.#onLost);
  }

  get fences(): FenceCommands {
    return this.rare.fences;
  }

  get isIdle(): boolean {
    return this.list.isEmpty && !this.stagedReads.isReading;
  }

  get gpuMilliseconds(): number | null {
    return this.rare.timer.milliseconds;
  }

  execute(record: CommandRecord): boolean {
    const handler = this.handlers[record.opcode];
    handler?.(this, record);
    return handler !== undefined;
  }

  executeRun(cursor: PageCursor): void {
    if (this.pass.isOpen) this.draws.execute(cursor);
  }

  beginFrame(frame: number, flags: number): void {
    this.list.name = `frame ${frame}`;
    this.#frameFlags = flags;
    this.viewport.isTranslucent = (flags & FrameFlag.translucentSurface) !== 0;
    this.passDescriptors.beginFrame();
    this.rare.timer.beginFrame();
  }

  endFrame(frame: number, list: number): void {
    this.endForgottenPass();
    if (!this.list.isEmpty) this.rare.timer.resolve(this.list.current);
    this.list.end();
    this.rare.frameSubmitted();
    this.list.name = '';
    this.#frameFlags = null;
    this.viewport.release();
    this.stagedReads.start();
    this.rare.timer.endFrame(frame, list);
  }

  /**
   * Submits the commands so far, and starts to map the buffers of read-backs. The mappings settle before any completion
   * that is requested later.
   */
  submit(): void {
    this.list.submit();
    this.stagedReads.start();
  }

  /**
   * Submits the commands so far, before the list waits. The canvases are complete, so the browser shows them now.
   * Requested video frames have to be taken from them in this task.
   */
  submitToWait(): void {
    this.submit();
    this.rare.videoFrames.frameSubmitted();
  }

  endList(): boolean {
    const hasSubmitted = this.list.end() || this.stagedReads.hasPending;
    this.stagedReads.start();
    return hasSubmitted;
  }

  whenWorkDone(listener: () => void): void {
    // The extra microtask ensures that a device loss that settles at the same time is handled first. Firefox may report
    // a loss much later, when the frame already counts as completed. That is harmless, because all frames are drawn
    // again on the new device.
    this.work.whenDone().then(ignore, ignore).then(listener);
  }

  free(resource: object): void {
    destroyReleased(resource);
    const { gpu } = resource as { readonly gpu?: object | null };
    if (gpu) this.resources.memory.forget(gpu);
  }

  recycle(completed: number): void {
    this.transfers.uploads.recycle(completed);
    this.stagedReads.pool.recycle(completed);
  }

  dispose(keepsSurface: boolean): void {
    this.#errors.dispose();
    this.transfers.uploads.dispose();
    this.stagedReads.pool.dispose();
    this.rare.dispose(keepsSurface);
    this.viewport.dispose(keepsSurface);
  }

  /** Returns the error to report. With validation, WebGPU's errors get the code `gpu-validation`. */
  translate(error: unknown): unknown {
    return this.#scopes === null ? error : this.#scopes.translate(error);
  }

  /**
   * Holds the record if pipelines are pending and no draw may be skipped. In a frame, `FrameFlag.waitForPipelines`
   * forbids skipping. Between frames, skipping is always forbidden, because a wait there can't delay a picture. A list
   * that has acquired a canvas texture never waits.
   * @returns whether the record is held
   */
  mustWaitForPipelines(): boolean {
    const { resources, viewport, host } = this;
    if (resources.pendingPipelines === 0 || host.isDisposing) return false;
    const maySkip = this.#frameFlags !== null && (this.#frameFlags & FrameFlag.waitForPipelines) === 0;
    if (maySkip || viewport.isAcquired) return false;
    host.hold(resources.whenPipelinesReady());
    return true;
  }

  /** Returns the buffer of a handle; null if it has failed. @throws RhiError `stale-handle` */
  buffer(handle: number): Ready<BufferResource> | null {
    return ready(this.resources.buffers.get(handle));
  }

  /**
   * Returns the texture of a handle; null if it has failed. Acquires the surface's texture if the handle names it.
   * @throws RhiError `stale-handle`, `surface-unavailable`, `surface-lost`
   */
  texture(handle: number): Ready<TextureResource> | null {
    const texture = this.resources.textures.get(handle);
    if (texture.isViewport) this.viewport.acquire();
    return ready(texture);
  }

  /** Checks that no pass is open. @throws RhiError `command-inside-pass` */
  outsidePass(): void {
    if (!this.pass.isOpen) return;
    throw new RhiError(
      'command-inside-pass',
      'A command that WebGPU allows only outside passes was recorded inside a pass. Record it before or after the pass.',
    );
  }

  /** Ends a pass that the list has left open, and reports it. */
  endForgottenPass(): void {
    if (!this.pass.isOpen) return;
    this.pass.end();
    this.host.report(
      new RhiError(
        'pass-not-ended',
        'A pass was still open at the beginning of the next pass, or at the end of the frame. End it first.',
      ),
    );
  }

  readonly #onUncapturedError = ({ error: { message } }: GPUUncapturedErrorEvent): void => {
    // An invalid command makes its list and the submission invalid as well. Only the cause is reported.
    if (this.host.hasReported && message.includes('due to a previous error')) return;
    // The message contains the encoder's label, which names the frame. The key must be the same in all frames.
    const key = message.replace(/frame \d+/g, '');
    this.host.report(new RhiError('gpu-uncaptured', `The GPU refused a command: ${message}`), key);
  };

  readonly #onLost = ({ reason, message }: GPUDeviceLostInfo): void => {
    if (this.host.isDisposing) return;
    this.host.fail(
      new RhiError(
        'device-lost',
        `The GPU device was lost in frame ${this.resources.frame} (${reason}): ${message} Create a new device, and create all resources again on it.`,
        { details: { reason, message } },
      ),
    );
    // The `endFrame` of an open frame is dropped, so its read-backs start now. Their mappings fail, so they are
    // answered without bytes.
    this.stagedReads.start();
  };
}

function ignore(): void {}

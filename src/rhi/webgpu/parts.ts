/**
 * What a WebGPU executor is made of, and what its handlers see: each command's handler is a plain function of these
 * parts and the record.
 *
 *   record ─► handlers[opcode] (parts, record) ─┬─ list, pass     what is being encoded
 *                                               ├─ resources      the WebGPU objects behind the handles
 *                                               ├─ draws, bundles, transfers, clears, renaming, fences, videoFrames
 *                                               └─ host           the executor: frames, waits, releases, errors
 */

import { RhiError } from '../../core/errors.js';
import { EventRing } from '../../core/event-ring.js';
import type { WaitableFence } from '../../sync/waitable.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { BundleTable } from './bundles.js';
import { TextureClears } from './clears.js';
import { Draws } from './draws.js';
import type { WebGpuExecutorOptions } from './executor.js';
import { FenceCommands } from './fences.js';
import { GpuTimer } from './gpu-timer.js';
import { ListEncoder } from './list-encoder.js';
import { preferredSurfaceFormat } from './open-device.js';
import { OutdatedContents } from './outdated.js';
import { PassDescriptors } from './pass-descriptors.js';
import { PassEncoder } from './pass-encoder.js';
import { Renaming } from './renaming.js';
import { Resources } from './resources.js';
import { Transfers } from './transfers.js';
import { VideoFrames } from './video-frames.js';
import { Viewport } from './viewport.js';

/** Carries out a record. One that must wait calls `host.hold`, and is called again with the same record. */
export type Handler = (parts: ExecutorParts, record: CommandRecord) => void;

/** `gpu.destroy()`, where there is one, is called when the GPU has finished with it. */
export interface Releasable {
  readonly gpu: unknown;
}

export function destroyGpuObject({ gpu }: Releasable): void {
  // Pipelines, bind groups, samplers and shader modules have nothing to destroy; dropping them is enough.
  (gpu as { destroy?: () => void } | null)?.destroy?.();
}

/** What handlers ask of the executor itself. */
export interface ExecutorHost {
  readonly submitted: WaitableFence;
  readonly completed: WaitableFence;
  /** Holds the record while too many frames are with the GPU (DESIGN §4.4). */
  beginFrame(frame: number, flags: number): void;
  endFrame(): void;
  /** True: this frame may skip nothing, so the record is held until no pipeline is being created. */
  mustWaitForPipelines(): boolean;
  /** Holds the current record: it is executed again once the promise has settled. Nothing overtakes it. */
  hold(until: Promise<unknown>): void;
  /** Frees the object once the list being recorded has completed; nothing recorded later may use it. */
  release(object: Releasable): void;
  purge(): void;
  report(error: unknown): void;
}

export class ExecutorParts {
  readonly device: GPUDevice;
  readonly options: WebGpuExecutorOptions;
  readonly host: ExecutorHost;
  /** By opcode. */
  readonly handlers: readonly (Handler | undefined)[];
  readonly resources: Resources;
  readonly list: ListEncoder;
  readonly pass: PassEncoder;
  readonly passDescriptors: PassDescriptors;
  readonly draws: Draws;
  readonly bundles: BundleTable;
  readonly transfers: Transfers;
  readonly clears: TextureClears;
  readonly renaming: Renaming;
  readonly fences: FenceCommands;
  readonly videoFrames: VideoFrames;
  readonly viewport: Viewport;
  readonly timer: GpuTimer;
  readonly outdated: OutdatedContents;

  constructor(
    options: WebGpuExecutorOptions,
    host: ExecutorHost,
    handlers: readonly (Handler | undefined)[],
  ) {
    const { device, reader, surface, maxFramesInFlight, events = new EventRing() } = options;
    this.device = device;
    this.options = options;
    this.host = host;
    this.handlers = handlers;
    this.viewport = new Viewport(device, surface, options.surfaceFormat ?? preferredSurfaceFormat());
    this.resources = new Resources(device, reader, host.report);
    this.list = new ListEncoder(device, () => this.transfers.uploads.close(host.submitted.value));
    this.outdated = new OutdatedContents(this.resources);
    this.pass = new PassEncoder(this.resources, this.outdated, host.report);
    this.passDescriptors = new PassDescriptors(this.resources, this.viewport);
    this.draws = new Draws(this.pass, this.resources);
    this.transfers = new Transfers(this);
    this.bundles = new BundleTable(this.resources);
    this.clears = new TextureClears(this);
    this.renaming = new Renaming(this);
    this.fences = new FenceCommands(this);
    this.videoFrames = new VideoFrames(this);
    this.timer = new GpuTimer(device, maxFramesInFlight, events);
  }

  /** @throws RhiError `command-inside-pass` */
  outsidePass(): void {
    if (!this.pass.isOpen) return;
    throw new RhiError(
      'command-inside-pass',
      'A write or copy was recorded in a pass, where WebGPU has none. Record it before the pass.',
    );
  }

  /** Ends a pass that the list forgot to end, and reports it. */
  endForgottenPass(): void {
    if (!this.pass.isOpen) return;
    this.pass.end();
    this.host.report(
      new RhiError(
        'pass-not-ended',
        'A pass was still open at the next one, or at the end of the frame. End it first.',
      ),
    );
  }
}

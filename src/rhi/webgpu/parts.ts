/**
 * What a WebGPU executor is made of, and what its handlers see: each command's handler is a plain function of these
 * parts and the record.
 *
 *   record ─► handlers[opcode] (parts, record) ─┬─ list, pass     what is being encoded
 *                                               ├─ resources      the WebGPU objects behind the handles
 *                                               ├─ draws, bundles, transfers
 *                                               ├─ seldom         what may have to be loaded first
 *                                               └─ host           the executor: frames, waits, releases, errors
 */

import { RhiError } from '../../core/errors.js';
import { EventRing } from '../../core/event-ring.js';
import type { WaitableFence } from '../../sync/waitable.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { BundleTable } from './bundles.js';
import { Draws } from './draws.js';
import type { WebGpuExecutorOptions } from './executor.js';
import type { GpuMemory } from './gpu-memory.js';
import { ListEncoder } from './list-encoder.js';
import { preferredSurfaceFormat } from './open-device.js';
import { OutdatedContents } from './outdated.js';
import { PassDescriptors } from './pass-descriptors.js';
import { PassEncoder } from './pass-encoder.js';
import { Resources } from './resources.js';
import type { Seldom } from './seldom.js';
import { Transfers } from './transfers.js';
import { Viewport } from './viewport.js';

/** Carries out a record. One that must wait calls `host.hold`, and is called again with the same record. */
export type Handler = (parts: ExecutorParts, record: CommandRecord) => void;

/** `gpu.destroy()`, where there is one, is called when the GPU has finished with it. */
export interface Releasable {
  readonly gpu: unknown;
}

export function destroyGpuObject({ gpu }: Releasable, memory: GpuMemory): void {
  // Pipelines, bind groups, samplers and shader modules have nothing to destroy; dropping them is enough.
  (gpu as { destroy?: () => void } | null)?.destroy?.();
  if (gpu !== null) memory.forget(gpu as object);
}

/** The code of `Seldom`: at hand, or how it is loaded. */
export type SeldomSource = SeldomModule | (() => Promise<SeldomModule>);

interface SeldomModule {
  readonly Seldom: typeof Seldom;
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
  release(object: Releasable, isDescriptor?: boolean): void;
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
  readonly viewport: Viewport;
  readonly outdated: OutdatedContents;
  readonly events: EventRing;
  /** Null: nothing has needed it yet, and it is not loaded. */
  seldom: Seldom | null = null;
  /** Nothing is waited for any more: what is still in the stream is executed at once. */
  isDisposing = false;
  readonly #seldomSource: SeldomSource;
  /** Why it could not be loaded, for the record that is held. */
  #seldomError: unknown = null;

  constructor(
    options: WebGpuExecutorOptions,
    host: ExecutorHost,
    handlers: readonly (Handler | undefined)[],
    seldom: SeldomSource,
  ) {
    const { device, reader, surface, events = new EventRing() } = options;
    this.device = device;
    this.options = options;
    this.host = host;
    this.handlers = handlers;
    this.events = events;
    this.#seldomSource = seldom;
    this.resources = new Resources(device, reader, host.report);
    const format = options.surfaceFormat ?? preferredSurfaceFormat();
    this.viewport = new Viewport(device, surface, format, this.resources.memory);
    this.list = new ListEncoder(device, () => this.transfers.uploads.close(host.submitted.value));
    this.outdated = new OutdatedContents(this.resources);
    this.pass = new PassEncoder(this.resources, this.outdated, host.report);
    this.passDescriptors = new PassDescriptors(this.resources, this.viewport);
    this.draws = new Draws(this.pass, this.resources);
    this.transfers = new Transfers(this);
    this.bundles = new BundleTable(this.resources);
    if (typeof seldom !== 'function') this.seldom = new seldom.Seldom(this);
  }

  /** Rejects where it can't be loaded; the next call tries again. */
  async loadSeldom(): Promise<Seldom> {
    if (this.seldom === null && typeof this.#seldomSource === 'function') {
      const { Seldom } = await this.#seldomSource();
      // Another call may have been faster.
      this.seldom ??= new Seldom(this);
    }
    return this.seldom as Seldom;
  }

  /**
   * For the current record. Null: it is held until the code is there, or left out because everything ends.
   * @throws what has kept it from being loaded; RhiError `command-not-loaded` where the list can't wait
   */
  useSeldom(): Seldom | null {
    if (this.seldom !== null || this.isDisposing) return this.seldom;
    const error = this.#seldomError;
    this.#seldomError = null;
    if (error !== null) throw error;
    if (this.viewport.isAcquired) {
      throw new RhiError(
        'command-not-loaded',
        'The code of a command is not loaded yet, and the list has used the surface’s texture, which does not live that long. Record the first such command before the first pass that draws to the viewport.',
      );
    }
    const load = this.loadSeldom().catch((cause: unknown) => {
      this.#seldomError = cause;
    });
    this.host.hold(load);
    return null;
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

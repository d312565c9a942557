import type { AssetClient } from '../assets/asset-client.js';
import { errorFromData, errorToData, FencepostError, OptionError, StateError } from '../core/errors.js';
import type { StreamWriter } from '../core/stream.js';
import { parseColor } from '../game/color.js';
import { World } from '../game/world.js';
import { encodeText, writeText } from '../game/write-record.js';
import { RenderFrameFlag, RenderOpcode } from '../proxy/commands.js';
import type { LeakReport } from '../rhi/executor.js';
import { webGpuMissing } from '../rhi/webgpu/webgpu-missing.js';
import { FrameEndSync } from '../sync/frame-end-sync.js';
import type { CapturedFrame } from './capture.js';
import type { ChromeTrace } from './chrome-trace.js';
import type { RenderConnection } from './connection.js';
import { EngineEventTarget } from './engine-events.js';
import type { ResolvedOptions } from './engine-options.js';
import { FrameLoop, pageFrameSource } from './frame-loop.js';
import { FrameProducer } from './frame-producer.js';
import { type EngineStats, FrameStat } from './frame-stats.js';
import { Surface } from './surface.js';
import { connectWorkers } from './worker-connection.js';
import { createModuleWorker } from './worker-location.js';

/**
 * The public engine: it composes surface, world, frame loop and whatever renders, and is the only object a
 * page needs to hold. Nothing in it runs per frame except through `FrameLoop`.
 */
export class Engine extends EngineEventTarget {
  readonly world: World;
  readonly #surface: Surface;
  readonly #producer: FrameProducer;
  readonly #sync: FrameEndSync;
  readonly #loop: FrameLoop;
  readonly #captures = new Map<number, Capture>();
  #assets: Promise<AssetClient> | null = null;
  #isSurfaceDirty = true;
  #areSettingsDirty = true;
  #isDisposed = false;
  #isReadyAnnounced = false;
  readonly #parts: EngineParts;
  readonly #options: ResolvedOptions;

  /** @internal use `createEngine` */
  constructor(parts: EngineParts, options: ResolvedOptions) {
    super();
    this.#parts = parts;
    this.#options = options;
    const { connection, surface, background } = parts;
    this.#surface = surface;
    this.world = new World({
      writer: connection.writer,
      loadScene: async (source, request) => (await this.#assetClient()).load(source, request),
      reportError: (error: unknown) => this.#reportError(error),
    });
    const synced = options.frameSync === 'present' ? connection.submitted : connection.rendered;
    this.#sync = new FrameEndSync(synced, { lag: options.oneFrameThreadLag });
    this.#producer = new FrameProducer(connection.writer, this.#sync, this.world, (writer) =>
      this.#writeSettings(writer, background),
    );
    this.#loop = new FrameLoop(this.#producer, pageFrameSource, (error) => this.#reportError(error));
    parts.listen({
      onError: (error) => this.#reportError(error),
      onReadback: (request, bytes) => this.#captures.get(request)?.resolve(bytes),
      onResize: (width, height) => this.#surfaceResized(width, height),
    });
  }

  /** The canvas that shows the picture. It can change: see `surfacechange`. */
  get canvas(): HTMLCanvasElement {
    return this.#surface.canvas;
  }

  /** Starts to tick the world and draw at every animation frame. */
  start(): void {
    this.#check();
    this.#loop.start();
    this.#announceReady();
  }

  /** Stops ticking and drawing; the picture stays. */
  stop(): void {
    this.#check();
    this.#loop.stop();
  }

  /** Draws once at the next animation frame, without ticking: for scenes that are drawn on demand. */
  invalidate(): void {
    this.#check();
    this.#loop.invalidate();
    this.#announceReady();
  }

  /**
   * Produces exactly one frame, also when stopped or hidden, and resolves when the GPU has completed it.
   * Nothing is left out: the frame waits for pipelines that are being created.
   * @param deltaSeconds what the tick receives, ≥ 0
   */
  async step(deltaSeconds: number): Promise<void> {
    this.#check();
    if (!(deltaSeconds >= 0 && deltaSeconds < 1e6)) {
      throw new OptionError(
        'option-out-of-range',
        `step(deltaSeconds) was given ${deltaSeconds}; it takes seconds, 0 or more.`,
      );
    }
    const frame = await this.#loop.produceOnce(deltaSeconds, RenderFrameFlag.step, 'tick', numberOf);
    await this.#parts.connection.completed.whenReached(frame);
    this.#announceReady();
  }

  /**
   * Resolves when everything the game has sent is rendered and submitted.
   * @param options.gpu wait for the GPU to complete it, too (default true)
   * @param options.deferredDeletes carry out pending deletes as well (default true)
   */
  async flush({ gpu = true, deferredDeletes = true }: FlushOptions = {}): Promise<void> {
    this.#check();
    const { connection } = this.#parts;
    const { frame } = this.#producer;
    await connection.rendered.whenReached(frame);
    await connection.submitted.whenReached(frame);
    if (gpu) await connection.completed.whenReached(frame);
    if (deferredDeletes) await connection.purge();
  }

  /** Resolves when nothing is pending any more: textures, loads, pipelines; what is drawn from then on is complete. */
  async whenReady(): Promise<void> {
    this.#check();
    await this.world.whenReady();
    this.#check();
    // A stopped engine draws nothing by itself, and a step has waited for its pipelines already.
    if (!this.#loop.isRunning && (this.#producer.frame === 0 || this.#producer.flags & RenderFrameFlag.step))
      return;
    // A frame that waits for its pipelines: once it is submitted, none is missing any more.
    const frame = await this.#loop.produceOnce(0, RenderFrameFlag.step, 'update', numberOf);
    await this.#parts.connection.submitted.whenReached(frame);
  }

  /**
   * What the canvas shows: sRGB RGBA8, row 0 at the top.
   * @throws StateError `no-frame-yet`
   */
  async captureFrame(): Promise<CapturedFrame> {
    this.#check();
    if (this.#producer.frame === 0) {
      throw new StateError(
        'no-frame-yet',
        'captureFrame came before the first frame. Call start() or await step() first.',
      );
    }
    const { unpackCapture } = await import('./capture.js');
    const { connection } = this.#parts;
    const flags = RenderFrameFlag.step | RenderFrameFlag.capture;
    // Size and listener belong to the frame's own turn: the canvas may be resized while it is drawn.
    const { frame, width, height, bytes } = await this.#loop.produceOnce(0, flags, 'redraw', (frame) => ({
      frame,
      width: this.#surface.width,
      height: this.#surface.height,
      bytes: this.#expectCapture(frame),
    }));
    try {
      // A thread that has failed will not send them.
      await connection.completed.whenReached(frame);
      return unpackCapture(await bytes, width, height, connection.capabilities.surfaceFormat);
    } finally {
      this.#captures.delete(frame);
    }
  }

  /** Figures of the last finished frame. */
  stats(): EngineStats {
    const { stats, submitted, completed } = this.#parts.connection;
    const figure = (index: number): number => stats[index] as number;
    const gpuMs = figure(FrameStat.gpuMs);
    return {
      frame: this.#producer.frame,
      gameThreadMs: this.#producer.gameThreadMs,
      renderThreadMs: figure(FrameStat.renderThreadMs),
      rhiThreadMs: figure(FrameStat.rhiThreadMs),
      gpuMs: Number.isNaN(gpuMs) ? null : gpuMs,
      gameWaitMs: this.#loop.gameWaitMs,
      renderWaitMs: figure(FrameStat.renderWaitMs),
      drawCalls: figure(FrameStat.drawCalls),
      instances: figure(FrameStat.instances),
      primitives: figure(FrameStat.primitives),
      visible: figure(FrameStat.visible),
      skippedDraws: figure(FrameStat.skippedDraws),
      uploadBytes: figure(FrameStat.uploadBytes),
      renderCommandBytes: figure(FrameStat.renderCommandBytes),
      rhiCommandBytes: figure(FrameStat.rhiCommandBytes),
      liveResources: figure(FrameStat.liveResources),
      pendingReleases: figure(FrameStat.pendingReleases),
      framesInFlight: submitted.value - completed.value,
      presentedFrames: figure(FrameStat.presentedFrames),
    };
  }

  /** Starts to note which thread works on which frame, and when. */
  async startTrace(): Promise<void> {
    this.#check();
    this.#producer.trace.start();
    await this.#parts.connection.startTrace();
  }

  /** Ends the trace; the result can be saved as JSON and opened in Perfetto or `chrome://tracing`. */
  async stopTrace(): Promise<ChromeTrace> {
    this.#check();
    const behind = await this.#parts.connection.stopTrace();
    const threads = [this.#producer.trace.stop(), ...behind];
    return (await import('./chrome-trace.js')).chromeTrace(threads);
  }

  /** Ends the workers, frees everything and reports what was still alive. Calls in flight reject. */
  async dispose(): Promise<LeakReport> {
    this.#check();
    this.#isDisposed = true;
    this.#loop.dispose();
    const { connection } = this.#parts;
    this.#assets?.then((assets) => assets.dispose());
    this.world.dispose();
    // A thread that has failed takes no commands any more, and has nothing left to destroy.
    if (!connection.rendered.error && !connection.submitted.error) {
      this.world.sendUpdates();
      connection.writer.publish();
    }
    const error = disposedError();
    for (const fence of [connection.rendered, connection.submitted, connection.completed]) fence.fail(error);
    this.#rejectCaptures(error);
    try {
      return await connection.dispose();
    } finally {
      this.#surface.dispose(this.#options.threading === 'single');
    }
  }

  #check(): void {
    if (this.#isDisposed) throw disposedError();
  }

  /** The asset worker's client, which is loaded with the first file. */
  #assetClient(): Promise<AssetClient> {
    this.#assets ??= import('../assets/asset-client.js').then(
      ({ AssetClient }) => new AssetClient(() => createModuleWorker('assets', this.#options.workerUrl)),
    );
    return this.#assets;
  }

  #expectCapture(frame: number): Promise<ArrayBuffer> {
    const bytes = new Promise<ArrayBuffer>((resolve, reject) =>
      this.#captures.set(frame, { resolve, reject }),
    );
    bytes.catch(() => {}); // Whoever waits for the frame as well hears of it there.
    return bytes;
  }

  #rejectCaptures(error: unknown): void {
    for (const capture of this.#captures.values()) capture.reject(error);
    this.#captures.clear();
  }

  #reportError(error: unknown): void {
    if (this.#isDisposed) return;
    // A thread that failed answers no more: whoever waits for its bytes must hear of it.
    if (this.#parts.connection.rendered.error || this.#parts.connection.submitted.error)
      this.#rejectCaptures(error);
    this.emit('error', error instanceof FencepostError ? error : errorFromData(errorToData(error)));
  }

  #surfaceResized(width: number, height: number): void {
    if (this.#isDisposed) return;
    this.#isSurfaceDirty = true;
    if (!this.#loop.isRunning && this.#producer.frame > 0) this.#loop.invalidate();
    this.emit('resize', { width, height });
  }

  #announceReady(): void {
    if (this.#isReadyAnnounced) return;
    this.#isReadyAnnounced = true;
    this.whenReady().then(
      () => this.emit('ready', { frame: this.#producer.frame }),
      () => {}, // Disposed or failed before the first picture; a failure has its own event.
    );
  }

  /** Per frame, inside the frame: what changed outside the world. */
  #writeSettings(writer: StreamWriter, background: readonly number[]): void {
    if (this.#isSurfaceDirty) {
      this.#isSurfaceDirty = false;
      const field = writer.reserve(RenderOpcode.surfaceSize, 2);
      writer.words[field] = this.#surface.width;
      writer.words[field + 1] = this.#surface.height;
    }
    if (this.#areSettingsDirty) {
      this.#areSettingsDirty = false;
      const field = writer.reserve(RenderOpcode.sceneSettings, 4);
      for (let channel = 0; channel < 3; channel++) {
        writer.floats[field + channel] = background[channel] as number;
      }
      writer.floats[field + 3] = this.#options.exposure;
      const code = encodeText(this.#parts.toneCurve);
      const text = writer.reserve(RenderOpcode.setToneCurve, 1 + ((code.length + 3) >> 2));
      writeText(writer.words, text, code);
    }
  }
}

export interface FlushOptions {
  readonly gpu?: boolean;
  readonly deferredDeletes?: boolean;
}

/** What `createEngine` puts together before there is an engine to tell. */
export interface EngineParts {
  readonly connection: RenderConnection;
  readonly surface: Surface;
  /** Linear. */
  readonly background: readonly number[];
  /** WGSL of the tone curve; empty: none. */
  readonly toneCurve: string;
  /** Hands events over to the engine, those that came before included. */
  listen(listeners: EngineListeners): void;
}

interface Capture {
  readonly resolve: (bytes: ArrayBuffer) => void;
  readonly reject: (error: unknown) => void;
}

interface EngineListeners {
  readonly onError: (error: unknown) => void;
  readonly onReadback: (request: number, bytes: ArrayBuffer) => void;
  readonly onResize: (width: number, height: number) => void;
}

const numberOf = (frame: number): number => frame;

function disposedError(): StateError {
  return new StateError('engine-disposed', 'The engine was disposed. Create another one.');
}

/** Starts the threads and puts an engine together. @internal use `createEngine` of the package */
export async function composeEngine(target: HTMLElement, options: ResolvedOptions): Promise<Engine> {
  if (options.backend === 'webgpu' && !navigator.gpu) throw webGpuMissing();
  // All that can be wrong on this side is found before a thread is started or the canvas touched.
  const background = parseColor('createEngine', 'background', options.background);
  const toneCurve =
    options.toneMapping === 'none'
      ? ''
      : (await import('../render/tone-curves.js')).toneCurves[options.toneMapping];
  const connect =
    options.threading === 'single'
      ? (await import('./single-thread.js')).connectSingleThread
      : connectWorkers;
  const early: unknown[] = [];
  let listeners: EngineListeners = {
    onError: (error) => early.push(error),
    onReadback: () => {},
    onResize: () => {},
  };
  const surface = new Surface(target, options.pixelRatio, (width, height) =>
    listeners.onResize(width, height),
  );
  try {
    const connection = await connect(surface, options, {
      onError: (error) => listeners.onError(error),
      onReadback: (request, bytes) => listeners.onReadback(request, bytes),
    });
    const listen = (next: EngineListeners): void => {
      listeners = next;
      for (const error of early) next.onError(error);
    };
    return new Engine({ connection, surface, background, toneCurve, listen }, options);
  } catch (error) {
    surface.dispose(options.threading === 'single');
    throw error;
  }
}

import { disposedError, typedError } from '../../core/errors.js';
import { prepareResend, resend } from '../../game/updates/resend.js';
import { RenderFrameFlag } from '../../proxy/commands.js';
import { type Clock, withDeadline } from '../../sync/deadline.js';
import type { KeptWorkers, PipelineThread, RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import { startFlightRecorder } from '../captures/flight-recording.js';
import { THREADS } from '../events/engine-threads.js';
import { untilAborted } from '../frames/until-aborted.js';
import type { ThreadingMode } from '../options/engine-options.js';
import { FreshCanvas } from '../surfaces/fresh-canvas.js';
import type { RestartHost } from './restart.js';
import type { Failure } from './restart-policy.js';

/** Time limit for preparing the scene's images, in milliseconds. */
const PREPARE_LIMIT = 30_000;

/**
 * Replaces the threads. This class decides which workers are kept and which thread gets the canvas, and sends the world
 * to the new threads. `restart.ts` decides when threads are replaced, and how often.
 *
 *   old threads   … frame 7 ──► drained ─────────────► ended
 *   new threads          connect ─────► the whole world ─────► frame 8 draws everything
 *   canvas                                                     a fresh canvas replaces the old canvas
 */
export class ThreadReplacement {
  readonly #host: RestartHost;
  readonly #clock: Clock;
  /** Returns a promise of the next failure. */
  readonly #nextFailure: () => Promise<Failure>;
  /** Living workers of the old threads, if a replacement failed after it had ended the old threads; else null. */
  #survivors: KeptWorkers | null = null;

  /**
   * @param nextFailure returns a promise of the next failure; called before new threads take over, so that the promise
   *   gets their failure
   */
  constructor(host: RestartHost, clock: Clock, nextFailure: () => Promise<Failure>) {
    this.#host = host;
    this.#clock = clock;
    this.#nextFailure = nextFailure;
  }

  /** Makes the next replacement use no worker of earlier threads. */
  dropWorkers(): void {
    this.#survivors = {};
  }

  /**
   * Starts other threads and hands everything over to them. Throws if the new threads don't start or the handover
   * fails. Old threads that still work then continue, unless this call has already ended them.
   * @param isCanvasLost whether no thread can draw to the canvas any more
   * @returns the first frame of the new threads, or 0 if no frame had to be drawn; or the failure of the new threads
   */
  async run(mode: ThreadingMode, isCanvasLost = false): Promise<number | Failure> {
    const { pipeline, surface, world, producer, scheduler, settings, events, threads, emit } = this.#host;
    const old = pipeline.connection;
    const oldThreads = THREADS[pipeline.options.threading];
    const newThreads = THREADS[mode];
    const { antialias, toneMapping, hdr } = settings.output;
    const options = { ...pipeline.options, threading: mode, antialias, toneMapping, hdr };
    const isSingle = mode === 'single';
    const { owner, other } = this.#survivors ?? old.workers;
    // A worker that the mode does not use ends with the old threads.
    const kept = isSingle ? {} : mode === 'render' ? { owner } : { owner, other };
    const replaced = replacedThreads(pipeline.options.threading, mode, kept);
    const keepsCanvas = isSingle
      ? pipeline.options.threading === mode && !isCanvasLost
      : kept.owner !== undefined;
    const fresh = keepsCanvas || options.backend === 'null' ? null : new FreshCanvas(surface.canvas);
    const connect = await this.#host.connect(mode);
    this.#check();
    const next = await connect(fresh ?? surface, options, events, {
      workers: kept,
      capabilities: old.capabilities,
      beforeReuse: async () => {
        if (kept.owner || kept.other) await this.#end(old, kept);
      },
    });
    try {
      await next.started;
    } catch (error) {
      next.end(kept);
      throw error;
    }
    try {
      this.#check();
      await this.#drain(old);
      this.#check();
      // End the old threads first if the canvas stays: only one thread may draw to it.
      if (!fresh) await this.#end(old, kept);
      await this.#handOver(next, options);
      this.#check();
    } catch (error) {
      next.end();
      throw error;
    }
    this.#survivors = null;
    const failed = this.#nextFailure();
    // Set the options only now: a recovery after a failed switch needs the previous mode.
    pipeline.options = options;
    pipeline.adopt(next, producer.frame);
    // If the new threads have already failed, `restart.ts` replaces them, and frames stay held until then.
    if (pipeline.isConnected) producer.release();
    threads.destroyed(replaced);
    threads.created(newThreads);
    let frame = 0;
    const drawn = async (): Promise<number> => {
      if (producer.frame === 0) return 0;
      frame = await scheduler.produceOnce(0, RenderFrameFlag.step, 'update', (number) => number);
      await next.completed.whenReached(frame);
      return frame;
    };
    const notDrawn = (error: unknown): Failure | Promise<Failure> =>
      pipeline.isConnected ? { error: typedError(error), thread: 'render' } : failed;
    let built: number | Failure;
    try {
      // A disposed engine ends the new threads without a failure. If the frame is complete by then, the replacement
      // succeeded.
      built = await untilAborted(Promise.race([failed, drawn().catch(notDrawn)]), world.disposed).catch(
        (error: unknown) => {
          if (frame && next.completed.isReached(frame)) return frame;
          throw error;
        },
      );
      if (fresh && !this.#host.isDisposed()) {
        const oldCanvas = surface.canvas;
        fresh.takePlaceOf(oldCanvas);
        surface.replaceCanvas(fresh.canvas);
        emit('surfacechange', { oldCanvas, newCanvas: fresh.canvas });
      }
    } finally {
      old.end(kept);
    }
    threads.destroyed(oldThreads.filter((thread) => !newThreads.includes(thread)));
    return built;
  }

  /** Sends all worlds to the new threads. No frame is produced meanwhile. */
  async #handOver(next: RenderConnection, options: Pipeline['options']): Promise<void> {
    const { pipeline, surface, world, producer, settings } = this.#host;
    // The scene does not wait longer for its images: late images are sent later, and failed images are left out.
    await withDeadline(prepareResend(world), {
      milliseconds: PREPARE_LIMIT,
      waiter: 'A restart',
      awaited: 'the images of the scene',
      clock: this.#clock,
    }).catch((error: unknown) => this.#host.emit('error', typedError(error)));
    this.#check();
    await this.#host.moveWork?.(next);
    const control = pipeline.isCapturing || options.flightRecorder ? next.control : null;
    if (control && pipeline.isCapturing) await control.startCapture();
    if (control && options.flightRecorder)
      this.#host.recordFlightBy(await startFlightRecorder(control, options.flightRecorder));
    for (const prepare of pipeline.takeovers) await prepare(next);
    this.#check();
    surface.limitSize(next.capabilities?.limits.maxTextureDimension2D);
    producer.writer = next.writer;
    const unsent = resend(world, next.writer);
    this.#host.resendWorlds?.(unsent);
    next.writer.publish();
    settings.resend();
    this.#host.captures.askAgain();
  }

  /** Holds frames, and waits until the threads have completed the produced frames or have failed. */
  async #drain(old: RenderConnection): Promise<void> {
    const { pipeline, producer } = this.#host;
    producer.hold();
    // Race with a failure: if one thread has died, another may wait for it for ever and never complete the frame.
    if (pipeline.isConnected)
      await Promise.race([old.completed.whenReached(producer.frame).catch(() => {}), this.#nextFailure()]);
    pipeline.release();
  }

  async #end(old: RenderConnection, kept: KeptWorkers): Promise<void> {
    await this.#drain(old);
    this.#survivors = kept;
    old.end(kept);
  }

  #check(): void {
    if (this.#host.isDisposed()) throw disposedError();
  }
}

/** Returns the threads that both modes have and whose worker is replaced. */
function replacedThreads(oldMode: ThreadingMode, mode: ThreadingMode, kept: KeptWorkers): PipelineThread[] {
  const isKept = (thread: PipelineThread): boolean => {
    // In these cases only the drawing worker can be kept. The thread then counts as kept if that worker is kept, even
    // if the thread moves to another worker.
    if (oldMode !== mode || mode === 'render' || thread === 'RHI') return kept.owner !== undefined;
    return kept.other !== undefined;
  };
  return THREADS[oldMode].filter((thread) => THREADS[mode].includes(thread) && !isKept(thread));
}

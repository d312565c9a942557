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

/** How long images may take to be there again, in milliseconds. */
const PREPARE_LIMIT = 30_000;

/**
 * One change of threads, from those there are to others: which workers stay, who gets the canvas, and in which order what
 * the world has is handed over. Why and how often is for `restart.ts` to say.
 *
 *   old threads   … frame 7 ──► drained ─────────────► ended
 *   new threads          connect ─────► everything there is ─► frame 8 draws everything
 *   canvas                                                     a fresh one takes the old one's place
 */
export class ThreadReplacement {
  readonly #host: RestartHost;
  readonly #clock: Clock;
  /** The next failure of the threads. */
  readonly #nextFailure: () => Promise<Failure>;
  /** Of threads that were ended in favour of others, which then did not come about: workers that still live. */
  #spared: KeptWorkers | null = null;

  /** @param nextFailure of the threads: read before new ones take over, so that theirs is meant */
  constructor(host: RestartHost, clock: Clock, nextFailure: () => Promise<Failure>) {
    this.#host = host;
    this.#clock = clock;
    this.#nextFailure = nextFailure;
  }

  /** The next threads share no worker with those before. */
  spareNobody(): void {
    this.#spared = {};
  }

  /**
   * Starts other threads and hands everything over to them. Throws when they don't start; where there were threads that
   * worked, they go on then.
   * @param isCanvasLost nobody can draw to the canvas any more
   * @returns the first frame that the new ones have drawn, 0 when there was none to draw; or how they failed
   */
  async run(mode: ThreadingMode, isCanvasLost = false): Promise<number | Failure> {
    const { pipeline, surface, world, producer, scheduler, settings, events, threads, emit } = this.#host;
    const old = pipeline.connection;
    const oldThreads = THREADS[pipeline.options.threading];
    const newThreads = THREADS[mode];
    const { sampleCount, toneCurve, displayCode } = settings.output;
    const options = { ...pipeline.options, threading: mode, sampleCount, toneCurve, displayCode };
    const isSingle = mode === 'single';
    const { owner, other } = this.#spared ?? old.workers;
    // One that the mode has no use for ends with the old threads.
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
      // Nobody may draw to the same canvas after the new threads have begun.
      if (!fresh) await this.#end(old, kept);
      await this.#handOver(next, options);
      this.#check();
    } catch (error) {
      next.end();
      throw error;
    }
    this.#spared = null;
    const failed = this.#nextFailure();
    // Not before: a recovery after a failed switch starts threads of the mode that there was.
    pipeline.options = options;
    pipeline.adopt(next, producer.frame);
    // Those that have failed at once are followed by others; frames are held until then.
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
      // A disposed engine ends the new threads, and nobody hears of their failure. A frame that is complete by then counts.
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

  /** Tells the new threads everything there is; no frame is produced meanwhile. */
  async #handOver(next: RenderConnection, options: Pipeline['options']): Promise<void> {
    const { pipeline, surface, world, producer, settings } = this.#host;
    // What is not there in time, or not at all, comes later or is left out; the rest of the scene does not wait for it.
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

  /** Waits until the threads have done all that was asked of them, if they can. Frames are held from then on. */
  async #drain(old: RenderConnection): Promise<void> {
    const { pipeline, producer } = this.#host;
    producer.hold();
    // One thread may have died, and another, which would complete the frame, still waits for it.
    if (pipeline.isConnected)
      await Promise.race([old.completed.whenReached(producer.frame).catch(() => {}), this.#nextFailure()]);
    pipeline.release();
  }

  async #end(old: RenderConnection, kept: KeptWorkers): Promise<void> {
    await this.#drain(old);
    this.#spared = kept;
    old.end(kept);
  }

  #check(): void {
    if (this.#host.isDisposed()) throw disposedError();
  }
}

/** Threads that both modes have, and whose worker was not kept. */
function replacedThreads(oldMode: ThreadingMode, mode: ThreadingMode, kept: KeptWorkers): PipelineThread[] {
  const isKept = (thread: PipelineThread): boolean => {
    // The worker that draws goes on, whichever threads run on it before and after.
    if (oldMode !== mode || mode === 'render' || thread === 'RHI') return kept.owner !== undefined;
    return kept.other !== undefined;
  };
  return THREADS[oldMode].filter((thread) => THREADS[mode].includes(thread) && !isKept(thread));
}

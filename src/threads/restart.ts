import { disposedError, errorFromData, errorToData, FencepostError, ThreadError } from '../core/errors.js';
import { checkChoice } from '../game/options.js';
import { prepareResend, resend } from '../game/resend.js';
import type { World } from '../game/world.js';
import { RenderFrameFlag } from '../proxy/commands.js';
import { atDeadline, type Clock, systemClock, withDeadline } from '../sync/deadline.js';
import { withBreadcrumb } from './breadcrumb.js';
import { CanvasMessage } from './canvas-message.js';
import type { Captures } from './capture.js';
import type { Connect, ConnectionEvents, KeptWorkers, RenderConnection } from './connection.js';
import type { EngineEventDetails } from './engine-events.js';
import type { ThreadingMode } from './engine-options.js';
import { type RecordFlight, startFlightRecorder } from './flight-recording.js';
import type { FrameLoop } from './frame-loop.js';
import type { FrameProducer } from './frame-producer.js';
import type { FrameSettings } from './frame-settings.js';
import { FreshCanvas } from './fresh-canvas.js';
import { THREADING_MODES } from './option-checks.js';
import type { Pipeline } from './pipeline.js';
import {
  type Failure,
  FailureCounts,
  isOutage,
  OUTAGE_MILLISECONDS,
  outageBegan,
  outageLasts,
  parseLoss,
  pauseBefore,
  simulatedLoss,
} from './restart-policy.js';
import type { Surface } from './surface.js';

/**
 * Throws the render side away and builds it anew from the main thread's scene: the one mechanism behind lost devices,
 * dead threads and other threads. Loaded with the first of them.
 *
 *   frames      … 6 │ 7 ✕   held                                   │ 8 │ 9 …
 *   old threads ░░░░░░░░✕
 *   new threads           connect ─► everything the world has ────►░░░░░░░░   frame 8 draws everything
 *   page                  devicelost                                        devicerestored { frame: 8 }
 *
 * One restart follows the other: what comes meanwhile waits its turn, and may find nothing left to do.
 */

/** How long images may take to be there again, in milliseconds. */
const PREPARE_LIMIT = 30_000;

/** What a restart needs of the engine. */
export interface RestartHost {
  readonly pipeline: Pipeline;
  readonly surface: Surface;
  readonly world: World;
  readonly producer: FrameProducer;
  readonly loop: FrameLoop;
  readonly settings: FrameSettings;
  readonly events: ConnectionEvents;
  /** How to start threads; other ones in tests. */
  readonly connect: (mode: ThreadingMode) => Promise<Connect>;
  captures(): Captures | null;
  /** What render modules do is done by the new threads. */
  readonly moveWork?: (next: RenderConnection) => Promise<void>;
  isDisposed(): boolean;
  emit<K extends keyof EngineEventDetails>(type: K, detail: EngineEventDetails[K]): void;
  /** Ends everything: whoever waits gets the error. */
  fail(error: FencepostError): void;
  recordFlightBy(recordFlight: RecordFlight): void;
  readonly clock?: Clock;
}

export class Restarts {
  readonly #host: RestartHost;
  readonly #clock: Clock;
  readonly #counts = new FailureCounts();
  readonly #message = new CanvasMessage();
  #turn: Promise<unknown> = Promise.resolve();
  /** The next failure. */
  #failed: Promise<Failure>;
  #tellFailure: (failure: Failure) => void = () => {};
  /** Of threads that were ended in favour of others, which then did not come about: workers that still live. */
  #spared: KeptWorkers | null = null;

  constructor(host: RestartHost) {
    this.#host = host;
    this.#clock = host.clock ?? systemClock;
    this.#failed = this.#nextFailure();
    host.world.disposed.addEventListener('abort', () => this.#message.hide());
  }

  /** The threads there were have ended; frames are held. */
  recover(failure: Failure): void {
    this.#tellFailure(failure);
    this.#failed = this.#nextFailure();
    this.#inTurn(() => this.#recover(failure)).catch((error: unknown) => this.#giveUp(typed(error)));
  }

  setThreading(mode: ThreadingMode): Promise<void> {
    checkChoice('setThreading', 'mode', mode, THREADING_MODES);
    const { pipeline, producer } = this.#host;
    return this.#untilDisposed(
      this.#inTurn(() => this.#switch(mode))
        // New threads that have failed at once are replaced in the next turn.
        .then(() => pipeline.completed.whenReached(producer.frame)),
    );
  }

  /** Resolves when the engine has heard of the loss. One that is being recovered from comes before. */
  async loseDevice(): Promise<void> {
    const { pipeline, producer } = this.#host;
    do {
      await producer.held;
      this.#check();
      if (pipeline.completed.error) throw pipeline.completed.error;
    } while (producer.held);
    const failed = this.#failed;
    const asked = pipeline.connection.control().then(async (control) => {
      await control.loseDevice();
      if (pipeline.options.backend === 'null') pipeline.end(simulatedLoss(), 'RHI');
      return failed;
    });
    // The loss may be heard of before the answer, which then ends with the threads that owe it.
    await this.#untilDisposed(Promise.race([failed, asked]));
  }

  #untilDisposed<T>(promise: Promise<T>): Promise<T> {
    const { disposed } = this.#host.world;
    return new Promise((resolve, reject) => {
      const end = (): void => reject(disposedError());
      disposed.addEventListener('abort', end);
      promise.then(resolve, reject).finally(() => disposed.removeEventListener('abort', end));
    });
  }

  #nextFailure(): Promise<Failure> {
    return new Promise((resolve) => {
      this.#tellFailure = resolve;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #recover(first: Failure): Promise<void> {
    const { pipeline, emit } = this.#host;
    // Another turn may have replaced the threads already, or given up.
    if (pipeline.isConnected || pipeline.completed.error) return;
    let failure = first;
    let isDeviceLost = false;
    for (;;) {
      if (this.#host.isDisposed()) return;
      const { error, thread } = failure;
      const loss = parseLoss(error);
      if (loss) {
        const { deviceLost } = pipeline.options;
        if (deviceLost !== 'ignore') emit('devicelost', loss);
        if (deviceLost !== 'recover') return this.#giveUp(error);
        isDeviceLost = true;
      } else if (error instanceof ThreadError) {
        // What was thrown has been reported from where it was.
        emit('error', withBreadcrumb(error, pipeline.connection.lastEvent(thread)));
      }
      const tooOften = this.#counts.add(failure, this.#clock.now());
      if (tooOften) return this.#giveUp(tooOften);
      const built = await this.#rebuildWhenPossible(error);
      if (typeof built === 'number') {
        this.#message.hide();
        if (isDeviceLost) emit('devicerestored', { frame: built });
        else emit('threadrestarted', { thread, frame: built, error });
        return;
      }
      if (built === null) return; // disposed of, or given up
      failure = built;
    }
  }

  /** Tries again for as long as there is no device. Null: it is over. */
  async #rebuildWhenPossible(first: FencepostError): Promise<number | Failure | null> {
    const { pipeline, surface } = this.#host;
    const end = this.#clock.now() + OUTAGE_MILLISECONDS;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#rebuild(pipeline.options.threading);
      } catch (thrown) {
        const error = typed(thrown);
        if (this.#host.isDisposed()) return null;
        if (!isOutage(error)) {
          // Whoever is at fault: the next try shares nothing with this one.
          this.#spared = {};
          return { error, thread: 'render' };
        }
        if (attempt === 0) {
          this.#host.emit('error', outageBegan(error));
          if (pipeline.options.deviceLostMessage)
            this.#message.show(surface.canvas, 'The graphics device was lost. Waiting for it to come back …');
        }
        if (this.#clock.now() >= end) {
          this.#giveUp(outageLasts(first));
          return null;
        }
        await this.#pause(pauseBefore(attempt));
      }
    }
  }

  /** Everybody who waits gets the error, now and later. */
  #giveUp(error: FencepostError): void {
    const { pipeline, surface, emit, fail } = this.#host;
    if (this.#host.isDisposed() || pipeline.completed.error) return;
    pipeline.connection.end();
    fail(error);
    emit('error', error);
    if (pipeline.options.deviceLostMessage) this.#message.show(surface.canvas, error.message);
  }

  async #switch(mode: ThreadingMode): Promise<void> {
    const { pipeline } = this.#host;
    if (this.#host.isDisposed()) throw disposedError();
    if (pipeline.completed.error) throw pipeline.completed.error;
    if (mode === pipeline.options.threading) return;
    try {
      await this.#rebuild(mode);
    } catch (error) {
      // The old threads go on, unless they were ended already, or have failed meanwhile.
      if (!pipeline.isConnected) this.recover({ error: typed(error), thread: 'render' });
      throw error;
    }
  }

  /**
   * Starts other threads and hands everything over to them. Throws when they don't start; where there were threads that
   * worked, they go on then.
   * @returns the first frame that the new ones have drawn, 0 when there was none to draw; or how they failed
   */
  async #rebuild(mode: ThreadingMode): Promise<number | Failure> {
    const { pipeline, surface, producer, loop, events, emit } = this.#host;
    const old = pipeline.connection;
    const options = { ...pipeline.options, threading: mode };
    const isSingle = mode === 'single';
    const { owner, other } = this.#spared ?? old.workers;
    // One that the mode has no use for ends with the old threads.
    const kept = isSingle ? {} : mode === 'render' ? { owner } : { owner, other };
    const keepsCanvas = isSingle ? pipeline.options.threading === mode : kept.owner !== undefined;
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
      this.#check();
      await this.#drain(old);
      this.#check();
      // Nobody may draw to the same canvas after the new threads have begun.
      if (!fresh) await this.#end(old, kept);
      await this.#handOver(next, options);
    } catch (error) {
      next.end();
      throw error;
    }
    this.#spared = null;
    const failed = this.#failed;
    pipeline.adopt(next, producer.frame);
    producer.release();
    const drawn = async (): Promise<number> => {
      if (producer.frame === 0) return 0;
      const frame = await loop.produceOnce(0, RenderFrameFlag.step, 'update', (number) => number);
      await next.completed.whenReached(frame);
      return frame;
    };
    const notDrawn = (error: unknown): Failure | Promise<Failure> =>
      pipeline.isConnected ? { error: typed(error), thread: 'render' } : failed;
    const built = await Promise.race([failed, drawn().catch(notDrawn)]);
    if (fresh && !this.#host.isDisposed()) {
      const oldCanvas = surface.canvas;
      fresh.takePlaceOf(oldCanvas);
      surface.replaceCanvas(fresh.canvas, isSingle);
      emit('surfacechange', { oldCanvas, newCanvas: fresh.canvas });
    }
    old.end(kept);
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
    }).catch((error: unknown) => this.#host.emit('error', typed(error)));
    await this.#host.moveWork?.(next);
    const control = pipeline.isCapturing || options.flightRecorder ? await next.control() : null;
    if (control && pipeline.isCapturing) await control.startCapture();
    if (control && options.flightRecorder)
      this.#host.recordFlightBy(await startFlightRecorder(control, options.flightRecorder));
    for (const prepare of pipeline.takeovers) await prepare(next);
    this.#check();
    surface.limitSize(next.capabilities.limits.maxTextureDimension2D);
    pipeline.options = options;
    producer.writer = next.writer;
    resend(world, next.writer);
    next.writer.publish();
    settings.isSurfaceDirty = settings.isOutputDirty = true;
    this.#host.captures()?.askAgain();
  }

  /** Waits until the threads have done all that was asked of them, if they can. Frames are held from then on. */
  async #drain(old: RenderConnection): Promise<void> {
    const { pipeline, producer } = this.#host;
    producer.hold();
    if (pipeline.isConnected) await old.completed.whenReached(producer.frame).catch(() => {});
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

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      atDeadline(this.#clock.now() + milliseconds, this.#clock, resolve);
    });
  }
}

function typed(error: unknown): FencepostError {
  return error instanceof FencepostError ? error : errorFromData(errorToData(error));
}

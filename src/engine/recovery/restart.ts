import { disposedError, type FencepostError, ThreadError, typedError } from '../../core/errors.js';
import { checkChoice } from '../../core/options/check-value.js';
import type { resend } from '../../game/updates/resend.js';
import type { World } from '../../game/world/world.js';
import type { LeakReport } from '../../rhi/execute/executor.js';
import { atDeadline, type Clock, systemClock, withDeadline } from '../../sync/deadline.js';
import type { Connect, ConnectionEvents, RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import { withBreadcrumb } from '../../threads/control/breadcrumb.js';
import type { Captures } from '../captures/capture.js';
import type { RecordFlight } from '../captures/flight-recording.js';
import type { EngineEventDetails } from '../events/engine-events.js';
import { type EngineThreads, THREADS } from '../events/engine-threads.js';
import type { FrameProducer } from '../frames/frame-producer.js';
import type { FrameScheduler } from '../frames/frame-scheduler.js';
import { untilAborted } from '../frames/until-aborted.js';
import type { ThreadingMode } from '../options/engine-options.js';
import { THREADING_MODES } from '../options/engine-options.js';
import type { FrameSettings } from '../options/frame-settings.js';
import { checkBypass } from '../options/option-checks.js';
import type { EngineSurface } from '../surfaces/surface.js';
import { CanvasMessage } from './canvas-message.js';
import {
  type Failure,
  FailureCounts,
  isOutage,
  lossOf,
  OUTAGE_MILLISECONDS,
  outageBegan,
  outageLasts,
  pauseBefore,
  simulatedLoss,
  threadOf,
} from './restart-policy.js';
import { ThreadReplacement } from './thread-replacement.js';

/** Time limit in milliseconds for the report of leaks of threads that have failed. */
const REPORT_LIMIT = 1000;

/** The parts of the engine that a restart needs. */
export interface RestartHost {
  readonly pipeline: Pipeline;
  readonly surface: EngineSurface;
  readonly world: World;
  readonly producer: FrameProducer;
  readonly scheduler: FrameScheduler;
  readonly settings: FrameSettings;
  readonly events: ConnectionEvents;
  readonly threads: EngineThreads;
  /** Returns the function that starts the threads of a mode; replaced in tests. */
  readonly connect: (mode: ThreadingMode) => Promise<Connect>;
  readonly captures: Captures;
  /** Moves fences, render modules, helpers and tasks to the new threads. */
  readonly moveWork?: (next: RenderConnection) => Promise<void>;
  /** Sends all worlds except the first one again. @param unsent result of `resend` for the first world */
  readonly resendWorlds?: (unsent: ReturnType<typeof resend>) => void;
  isDisposed(): boolean;
  emit<K extends keyof EngineEventDetails>(type: K, detail: EngineEventDetails[K]): void;
  /** Fires `error`, and lets the flight recorder of the current threads write its file. */
  reportError(error: FencepostError): void;
  /** Fails the engine: all pending and later calls reject with the error. */
  fail(error: FencepostError): void;
  recordFlightBy(recordFlight: RecordFlight): void;
  readonly clock?: Clock;
}

/**
 * Replaces the engine's threads and rebuilds their scene from the main thread's scene. Lost devices, dead threads and
 * `setThreading` all use this mechanism. This file decides when threads are replaced. `thread-replacement.ts` replaces
 * them.
 *
 *   frames      … 6 │ 7 ✕   held                                   │ 8 │ 9 …
 *   old threads ░░░░░░░░✕
 *   new threads           connect ─► everything the world has ────►░░░░░░░░   frame 8 draws everything
 *   page                  devicelost                                        devicerestored { frame: 8 }
 *
 * Restarts run one after another. A failure during a restart is handled after that restart, unless the restart has
 * already replaced the failed threads.
 */
export class Restarts {
  readonly #host: RestartHost;
  readonly #clock: Clock;
  readonly #counts = new FailureCounts();
  readonly #message = new CanvasMessage();
  readonly #replacement: ThreadReplacement;
  #turn: Promise<unknown> = Promise.resolve();
  /** The leaks of the threads of a failed engine; null until the engine has failed. */
  failureReport: Promise<LeakReport> | null = null;
  /** Resolves with the next failure. */
  #failed: Promise<Failure>;
  #resolveFailure: (failure: Failure) => void = () => {};

  constructor(host: RestartHost) {
    this.#host = host;
    this.#clock = host.clock ?? systemClock;
    this.#failed = this.#nextFailure();
    this.#replacement = new ThreadReplacement(host, this.#clock, () => this.#failed);
    host.world.disposed.addEventListener('abort', () => this.#message.hide());
  }

  /** Replaces the threads after a failure. The caller must have held all frames. */
  recover(failure: Failure): void {
    this.#resolveFailure(failure);
    this.#failed = this.#nextFailure();
    this.#inTurn(() => this.#recover(failure)).catch((error: unknown) => this.giveUp(typedError(error)));
  }

  setThreading(mode: ThreadingMode): Promise<void> {
    checkChoice('setThreading', 'mode', mode, THREADING_MODES);
    const { pipeline, producer, world } = this.#host;
    checkBypass('setThreading', pipeline.options.rhiBypass, mode);
    return untilAborted(
      this.#inTurn(() => this.#switch(mode))
        // If the new threads fail at once, the next restart replaces them.
        .then(() => pipeline.completed.whenReached(producer.frame)),
      world.disposed,
    );
  }

  /** Destroys the device after all pending changes of threads. Resolves when the engine has noticed the loss. */
  async loseDevice(): Promise<void> {
    const { pipeline, world } = this.#host;
    const lose = async (): Promise<boolean> => {
      await this.#started();
      this.#check();
      if (pipeline.completed.error) throw pipeline.completed.error;
      // The next restart replaces threads that have failed. Try again after it.
      if (!pipeline.isConnected) return false;
      const failed = this.#failed;
      const asked = pipeline.connection.control.loseDevice().then(() => {
        if (pipeline.options.backend === 'null') pipeline.end(simulatedLoss(), 'RHI');
        return failed;
      });
      // The loss may arrive before the answer. The threads then end without answering.
      await untilAborted(Promise.race([failed, asked]), world.disposed);
      return true;
    };
    while (!(await this.#inTurn(lose)));
  }

  /** Resolves when the threads have started, one of them has failed, or the engine has been disposed of. */
  async #started(): Promise<void> {
    const { pipeline, world } = this.#host;
    const settled = Promise.race([pipeline.connection.started, this.#failed]);
    await untilAborted(settled, world.disposed).catch(() => {});
  }

  #nextFailure(): Promise<Failure> {
    return new Promise((resolve) => {
      this.#resolveFailure = resolve;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #recover(first: Failure): Promise<void> {
    const { pipeline, emit } = this.#host;
    // An earlier restart may have replaced the threads already, or given up.
    if (pipeline.isConnected || pipeline.completed.error) return;
    let failure = first;
    let isDeviceLost = false;
    /** The last failure that was not a device loss. */
    let ended: Failure | null = null;
    for (;;) {
      if (this.#host.isDisposed()) return;
      const { error, thread } = failure;
      const loss = lossOf(error);
      if (loss) {
        const { deviceLost } = pipeline.options;
        if (deviceLost !== 'ignore') emit('devicelost', loss);
        if (deviceLost !== 'recover') return this.giveUp(error);
        isDeviceLost = true;
      } else {
        ended = failure;
        if (error instanceof ThreadError)
          emit('error', withBreadcrumb(error, pipeline.connection.lastEvent(thread)));
        else this.#host.reportError(error);
      }
      const tooOften = this.#counts.add(failure, this.#clock.now());
      if (tooOften) return this.giveUp(tooOften);
      const built = await this.#rebuildWhenPossible(error);
      if (typeof built === 'number') {
        this.#message.hide();
        if (isDeviceLost) emit('devicerestored', { frame: built });
        if (ended) emit('threadrestarted', { ...ended, frame: built });
        return;
      }
      if (built === null) return; // the engine was disposed of, or gave up
      failure = built;
    }
  }

  /**
   * Replaces the threads, and retries while no device is available.
   * @returns the first frame; a failure; null if the engine was disposed of or gave up
   */
  async #rebuildWhenPossible(first: FencepostError): Promise<number | Failure | null> {
    const { pipeline, surface } = this.#host;
    const end = this.#clock.now() + OUTAGE_MILLISECONDS;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#replacement.run(pipeline.options.threading, first.code === 'surface-lost');
      } catch (thrown) {
        const error = typedError(thrown);
        if (this.#host.isDisposed()) return null;
        if (!isOutage(error)) {
          // Any of the workers may have caused this, so the next attempt uses none of them.
          this.#replacement.dropWorkers();
          return { error, thread: threadOf(error) };
        }
        if (attempt === 0) {
          this.#host.emit('error', outageBegan(error));
          if (pipeline.options.deviceLostMessage)
            this.#message.show(surface.canvas, 'The graphics device was lost. Waiting for it to come back …');
        }
        if (this.#clock.now() >= end) {
          this.giveUp(outageLasts(first));
          return null;
        }
        await this.#pause(pauseBefore(attempt));
      }
    }
  }

  /** Fails the engine: all pending and later calls reject with the error. */
  giveUp(error: FencepostError): void {
    const { pipeline, surface, threads, emit, fail } = this.#host;
    if (this.#host.isDisposed() || pipeline.completed.error) return;
    this.failureReport = this.#end(pipeline.connection);
    fail(error);
    emit('error', error);
    threads.end();
    // This message addresses the visitor of the page. The event addresses its developer.
    const reason = lossOf(error) ? 'The graphics device was lost.' : 'The picture can’t be shown any more.';
    if (pipeline.options.deviceLostMessage)
      this.#message.show(surface.canvas, `${reason} Reload the page to see it again.`);
  }

  /** Ends threads that have failed. @returns their leaks, as far as they can be known */
  async #end(connection: RenderConnection): Promise<LeakReport> {
    try {
      // Threads that have not started have created nothing.
      if (!connection.capabilities) return { leaks: [] };
      return await withDeadline(connection.control.shutDown(), {
        milliseconds: REPORT_LIMIT,
        waiter: 'The end of failed threads',
        awaited: 'their report of leaks',
        clock: this.#clock,
      });
    } catch {
      return { leaks: [], unreported: THREADS[this.#host.pipeline.options.threading] };
    } finally {
      connection.end();
    }
  }

  async #switch(mode: ThreadingMode): Promise<void> {
    const { pipeline } = this.#host;
    await this.#started();
    if (this.#host.isDisposed()) throw disposedError();
    if (pipeline.completed.error) throw pipeline.completed.error;
    if (mode === pipeline.options.threading) return;
    try {
      await this.#replacement.run(mode);
    } catch (error) {
      // The old threads continue, unless they have been ended or have failed meanwhile.
      if (!pipeline.isConnected) {
        const typed = typedError(error);
        this.recover({ error: typed, thread: threadOf(typed) });
      }
      throw error;
    }
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

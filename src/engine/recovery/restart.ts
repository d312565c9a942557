import { disposedError, type FencepostError, ThreadError, typedError } from '../../core/errors.js';
import { checkChoice } from '../../core/options/check-value.js';
import type { resend } from '../../game/updates/resend.js';
import type { World } from '../../game/world/world.js';
import { atDeadline, type Clock, systemClock } from '../../sync/deadline.js';
import type { Connect, ConnectionEvents, RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import { withBreadcrumb } from '../../threads/control/breadcrumb.js';
import type { Captures } from '../captures/capture.js';
import type { RecordFlight } from '../captures/flight-recording.js';
import type { EngineEventDetails } from '../events/engine-events.js';
import type { EngineThreads } from '../events/engine-threads.js';
import type { FrameProducer } from '../frames/frame-producer.js';
import type { FrameScheduler } from '../frames/frame-scheduler.js';
import { untilAborted } from '../frames/until-aborted.js';
import type { ThreadingMode } from '../options/engine-options.js';
import { THREADING_MODES } from '../options/engine-options.js';
import type { FrameSettings } from '../options/frame-settings.js';
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

/** What a restart needs of the engine. */
export interface RestartHost {
  readonly pipeline: Pipeline;
  readonly surface: EngineSurface;
  readonly world: World;
  readonly producer: FrameProducer;
  readonly scheduler: FrameScheduler;
  readonly settings: FrameSettings;
  readonly events: ConnectionEvents;
  readonly threads: EngineThreads;
  /** How to start threads; other ones in tests. */
  readonly connect: (mode: ThreadingMode) => Promise<Connect>;
  readonly captures: Captures;
  /** What render modules do is done by the new threads. */
  readonly moveWork?: (next: RenderConnection) => Promise<void>;
  /** The worlds besides the engine's own are sent anew. @param unsent what `resend` gave for that */
  readonly resendWorlds?: (unsent: ReturnType<typeof resend>) => void;
  isDisposed(): boolean;
  emit<K extends keyof EngineEventDetails>(type: K, detail: EngineEventDetails[K]): void;
  /** As an event, and to the flight recorder, which asks the threads there are. */
  reportError(error: FencepostError): void;
  /** Ends everything: whoever waits gets the error. */
  fail(error: FencepostError): void;
  recordFlightBy(recordFlight: RecordFlight): void;
  readonly clock?: Clock;
}

/**
 * Throws the render side away and builds it anew from the main thread's scene: the one mechanism behind lost devices,
 * dead threads and other threads. Here stands when that is done; how, in `thread-replacement.ts`.
 *
 *   frames      … 6 │ 7 ✕   held                                   │ 8 │ 9 …
 *   old threads ░░░░░░░░✕
 *   new threads           connect ─► everything the world has ────►░░░░░░░░   frame 8 draws everything
 *   page                  devicelost                                        devicerestored { frame: 8 }
 *
 * One restart follows the other: what comes meanwhile waits its turn, and may find nothing left to do.
 */
export class Restarts {
  readonly #host: RestartHost;
  readonly #clock: Clock;
  readonly #counts = new FailureCounts();
  readonly #message = new CanvasMessage();
  readonly #replacement: ThreadReplacement;
  #turn: Promise<unknown> = Promise.resolve();
  /** The next failure. */
  #failed: Promise<Failure>;
  #tellFailure: (failure: Failure) => void = () => {};

  constructor(host: RestartHost) {
    this.#host = host;
    this.#clock = host.clock ?? systemClock;
    this.#failed = this.#nextFailure();
    this.#replacement = new ThreadReplacement(host, this.#clock, () => this.#failed);
    host.world.disposed.addEventListener('abort', () => this.#message.hide());
  }

  /** The threads there were have ended; frames are held. */
  recover(failure: Failure): void {
    this.#tellFailure(failure);
    this.#failed = this.#nextFailure();
    this.#inTurn(() => this.#recover(failure)).catch((error: unknown) => this.giveUp(typedError(error)));
  }

  setThreading(mode: ThreadingMode): Promise<void> {
    checkChoice('setThreading', 'mode', mode, THREADING_MODES);
    const { pipeline, producer, world } = this.#host;
    return untilAborted(
      this.#inTurn(() => this.#switch(mode))
        // New threads that have failed at once are replaced in the next turn.
        .then(() => pipeline.completed.whenReached(producer.frame)),
      world.disposed,
    );
  }

  /** Resolves when the engine has heard of the loss. Changes of threads that are under way or due come before. */
  async loseDevice(): Promise<void> {
    const { pipeline, world } = this.#host;
    const lose = async (): Promise<boolean> => {
      await this.#started();
      this.#check();
      if (pipeline.completed.error) throw pipeline.completed.error;
      // Threads that have failed are replaced in the next turn.
      if (!pipeline.isConnected) return false;
      const failed = this.#failed;
      const asked = pipeline.connection.control.loseDevice().then(() => {
        if (pipeline.options.backend === 'null') pipeline.end(simulatedLoss(), 'RHI');
        return failed;
      });
      // The loss may be heard of before the answer, which then ends with the threads that owe it.
      await untilAborted(Promise.race([failed, asked]), world.disposed);
      return true;
    };
    while (!(await this.#inTurn(lose)));
  }

  /** Resolves when the first threads have started, or one of them has failed before, or the engine has ended. */
  async #started(): Promise<void> {
    const { pipeline, world } = this.#host;
    const settled = Promise.race([pipeline.connection.started, this.#failed]);
    await untilAborted(settled, world.disposed).catch(() => {});
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
    /** The last one that was a thread's own. */
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
        return await this.#replacement.run(pipeline.options.threading, first.code === 'surface-lost');
      } catch (thrown) {
        const error = typedError(thrown);
        if (this.#host.isDisposed()) return null;
        if (!isOutage(error)) {
          // Whoever is at fault: the next try shares nothing with this one.
          this.#replacement.spareNobody();
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

  /** Everybody who waits gets the error, now and later. */
  giveUp(error: FencepostError): void {
    const { pipeline, surface, threads, emit, fail } = this.#host;
    if (this.#host.isDisposed() || pipeline.completed.error) return;
    pipeline.connection.end();
    fail(error);
    emit('error', error);
    threads.end();
    // For whoever looks at the page; the event is for who wrote it.
    const what = lossOf(error) ? 'The graphics device was lost.' : 'The picture can’t be shown any more.';
    if (pipeline.options.deviceLostMessage)
      this.#message.show(surface.canvas, `${what} Reload the page to see it again.`);
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
      // The old threads go on, unless they were ended already, or have failed meanwhile.
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

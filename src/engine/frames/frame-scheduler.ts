import type { Shaped } from '../../core/options/member.js';
import { byDefault, oneOf } from '../../core/options/members.js';
import { RenderFrameFlag } from '../../proxy/commands.js';
import type { FrameProducer, FrameWork } from './frame-producer.js';
import type { PictureActivity } from './picture-activity.js';

/** Longest time in seconds that a tick of the loop simulates. Motions and steps have no such limit. */
const MAXIMUM_DELTA_SECONDS = 0.25;

export const START_OPTIONS = {
  /**
   * When frames are drawn: `'always'` at each animation frame, `'changed'` only at animation frames at which the
   * picture changes. Callbacks of `onTick` run at each animation frame in both cases. Default `'always'`.
   */
  when: byDefault(oneOf('always|changed'), 'always'),
};

export type StartOptions = Shaped<typeof START_OPTIONS>;

type Activity = Pick<PictureActivity, 'hasTicks' | 'isMoving' | 'willMove' | 'settling'>;

/** The page's animation frames and clock; replaced in tests. */
export interface FrameSource {
  requestFrame(callback: (milliseconds: number) => void): number;
  cancelFrame(request: number): void;
  now(): number;
  readonly isHidden: boolean;
}

export const pageFrameSource: FrameSource = {
  requestFrame: (callback) => requestAnimationFrame(callback),
  cancelFrame: (request) => cancelAnimationFrame(request),
  now: () => performance.now(),
  get isHidden() {
    return document.hidden;
  },
};

/**
 * Decides when frames are produced: at animation frames while running, once per `invalidate`, by `step`, or once after
 * changes of an engine at rest. If `FrameEndSync` does not allow the next frame yet, the tick is deferred until the
 * fence signals. Dropping the tick until the next animation frame instead would cost a third of the frame rate.
 *
 *   animation frame   │      │      │      │
 *   game              ▓1  ▓2 ┆  ▓3  ┆ ▓4      deferred ticks run when the render thread is done
 *   render            ░░░1░░░░2░░░░░3░░░░
 *
 * An engine that was started with `when: 'changed'` ticks at each animation frame, but sends a frame only if the page or
 * the tick has changed something, or if the picture moves by itself (`PictureActivity`):
 *
 *   animation frame   │      │      │      │      │      │
 *   game              ▓1     t      t      ▓2     ▓3     t       t: tick without a frame
 *                      └ first             └ change, and frames in which the picture settles
 *
 * Without callbacks it does not even request animation frames while nothing changes.
 *
 * An engine at rest has drawn a frame and is stopped. A change of its scene or settings requests a frame, as
 * `invalidate` does. An engine driven by steps is the exception: changes request no frame, so that its frames are the
 * same in every run. This mode begins with the first `step` of a stopped engine, and ends with `start` or `invalidate`.
 */
export class FrameScheduler {
  isRunning = false;
  /** Time the game waited before the loop's last frame, in milliseconds. Frames of `produceOnce` don't change it. */
  gameWaitMs = 0;
  #request = 0;
  #isDeferred = false;
  #isInvalid = false;
  /** Whether there are changes that no frame has sent. Not set before the first frame, nor while `#isStepped`. */
  #isChanged = false;
  /** Whether changes request no frame, because steps drive the engine or it has failed. */
  #isStepped = false;
  #isDisposed = false;
  #waitBegan = 0;
  #lastTick = -1;
  /** Whether a running engine draws only changes. */
  #drawsChanges = false;
  /** Whether a running engine requests no animation frames, because nothing changes. */
  #isResting = false;
  /** Seconds of ticks that no frame has sent. */
  #unsentSeconds = 0;
  /**
   * Frames still to draw after a change, and the time in milliseconds until which frames are drawn, so that the picture
   * settles.
   */
  #settlingFrames = 0;
  #settlingUntil = 0;
  /** The last frame of `produceOnce`. The next one begins once this frame is produced. */
  #exclusive: Promise<unknown> = Promise.resolve();
  readonly #producer: FrameProducer;
  readonly #source: FrameSource;
  readonly #onError: (error: unknown) => void;
  readonly #activity: Activity;

  /** @param activity asked only after `start('changed')` */
  constructor(
    producer: FrameProducer,
    source: FrameSource,
    onError: (error: unknown) => void,
    activity: Activity = ALWAYS_MOVING,
  ) {
    this.#producer = producer;
    this.#source = source;
    this.#onError = onError;
    this.#activity = activity;
  }

  /** Whether a frame is produced at each animation frame, without a request. */
  get drawsAlways(): boolean {
    return this.isRunning && !this.#drawsChanges;
  }

  /** Starts the loop, or changes when a running loop draws. */
  start(when: StartOptions['when'] = 'always'): void {
    // If `fencepost/testing` has taken the clock, the loop does not start.
    if (isClockTaken()) return;
    this.#drawsChanges = when === 'changed';
    if (this.isRunning) {
      this.#schedule();
      return;
    }
    this.isRunning = true;
    this.#unsentSeconds = 0;
    this.#isResting = false;
    // The first frame shows the changes that the page has made so far.
    this.#isInvalid = true;
    this.#isStepped = false;
    this.#lastTick = -1;
    this.#schedule();
  }

  stop(): void {
    this.isRunning = false;
    this.#isInvalid = false;
    this.#source.cancelFrame(this.#request);
    this.#request = 0;
    this.#producer.pause();
    // Changes since the last frame still have to be drawn.
    if (this.#isChanged) this.#schedule();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.stop();
  }

  /** Whether `invalidate` or a change has requested a frame that is not produced yet. */
  get isInvalid(): boolean {
    return this.#isInvalid || this.#isChanged;
  }

  /** Produces one frame at the next animation frame, without ticking, unless the loop runs anyway. */
  invalidate(): void {
    this.#isStepped = false;
    this.redraw();
  }

  /** Requests a frame as `invalidate` does, but leaves an engine driven by steps in that mode. */
  redraw(): void {
    this.#isInvalid = true;
    this.#schedule();
  }

  /** Continues to tick, because a callback was added. */
  wake(): void {
    if (this.isRunning) this.#schedule();
  }

  /** Requests a frame of an engine at rest for a change of the scene or the settings. Called per change. */
  noticeChange(): void {
    if (this.#isChanged || this.#isStepped || this.#producer.isSending) return;
    // Before its first frame an engine draws only on request, so that a page can build its scene.
    if (this.#producer.frame === 0 || isClockTaken()) return;
    this.#isChanged = true;
    if (!this.drawsAlways) this.#schedule();
  }

  /** Ignores changes from now on: the engine has failed, or is driven by steps. */
  ignoreChanges(): void {
    this.#isStepped = true;
    this.#isChanged = false;
  }

  /**
   * Produces one frame as soon as it is allowed, whether running, stopped or hidden.
   * @param onProduced called with the frame's number in the turn that publishes the frame; the promise resolves to its
   *   result
   */
  produceOnce<T>(
    deltaSeconds: number,
    flags: number,
    work: FrameWork,
    onProduced: (frame: number) => T,
  ): Promise<T> {
    if (work === 'tick' && !this.isRunning) this.ignoreChanges();
    const produced = this.#exclusive.then(async () => {
      // Check again after every wait, because the running loop may have produced a frame in between.
      while (!this.#producer.isReady) await this.#producer.whenReady();
      // Scene time continues between two ticks of a running engine.
      const running = this.isRunning && work !== 'tick' ? RenderFrameFlag.running : 0;
      return this.#producer.produce(deltaSeconds, flags | running, work, (frame) => {
        if (work !== 'redraw') this.#isChanged = false;
        return onProduced(frame);
      });
    });
    this.#exclusive = produced.catch(() => undefined);
    return produced;
  }

  #schedule(): void {
    if (this.#request === 0 && !this.#isDisposed)
      this.#request = this.#source.requestFrame(this.#onAnimationFrame);
  }

  readonly #onAnimationFrame = (): void => {
    this.#request = 0;
    if (this.#isDisposed || !(this.isRunning || this.isInvalid)) return;
    if (this.isRunning) this.#schedule();
    if (this.#isDeferred) return;
    if (this.#source.isHidden) {
      // Keep the request, because no later change repeats it.
      this.#schedule();
      return;
    }
    if (this.#producer.isReady) {
      this.gameWaitMs = 0;
      this.#tick();
      return;
    }
    this.#isDeferred = true;
    this.#waitBegan = this.#source.now();
    this.#producer.whenReady().then(this.#runDeferred, this.#fail);
  };

  readonly #runDeferred = (): void => {
    this.#isDeferred = false;
    if (this.#isDisposed) return;
    // Try again at the next animation frame if a step has produced a frame in between, or if the page is hidden.
    if (this.#source.isHidden || !this.#producer.isReady) {
      if (this.isRunning || this.isInvalid) this.#schedule();
      return;
    }
    this.gameWaitMs = this.#source.now() - this.#waitBegan;
    this.#tick();
  };

  #tick(): void {
    if (!this.isRunning && !this.isInvalid) return;
    if (!this.#drawsChanges || !this.isRunning) this.#isInvalid = false;
    const now = this.#source.now();
    const elapsed = this.#lastTick < 0 ? 0 : (now - this.#lastTick) / 1000;
    this.#lastTick = now;
    try {
      if (this.isRunning && this.#drawsChanges) {
        this.#tickAndDrawChanges(elapsed, now);
        return;
      }
      const later = this.isRunning
        ? this.#producer.produce(
            Math.min(elapsed, MAXIMUM_DELTA_SECONDS),
            RenderFrameFlag.running,
            'tick',
            this.#noteSent,
            elapsed,
          )
        : // A frame of a change waits for its pipelines (`step`), because no later frame would draw omitted parts.
          this.#producer.produce(0, this.#isChanged ? RenderFrameFlag.step : 0, 'update', this.#noteSent);
      later?.catch(this.#fail);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Runs a tick, and produces its frame if the picture changes. */
  #tickAndDrawChanges(elapsed: number, now: number): void {
    const producer = this.#producer;
    // A rest counts as no time: no tick callbacks existed.
    const seconds = this.#isResting ? 0 : Math.min(elapsed, MAXIMUM_DELTA_SECONDS);
    this.#isResting = false;
    const began = producer.advance(seconds, RenderFrameFlag.running, 'tick', elapsed);
    this.#unsentSeconds += seconds;
    const { settling } = this.#activity;
    if (this.isInvalid || this.#activity.isMoving) {
      this.#settlingFrames = settling.frames;
      this.#settlingUntil = now + settling.seconds * 1000;
    } else if (this.#settlingFrames > 0) this.#settlingFrames--;
    else if (now >= this.#settlingUntil) {
      if (!this.#activity.hasTicks) this.#rest();
      return;
    }
    this.#isInvalid = false;
    // The last frame before a rest waits for its pipelines (`step`), because no later frame would draw omitted parts.
    const flags = RenderFrameFlag.running | (this.#activity.willMove ? 0 : RenderFrameFlag.step);
    const deltaSeconds = this.#unsentSeconds;
    this.#unsentSeconds = 0;
    const later = producer.complete(deltaSeconds, flags, 'tick', this.#noteSent, began);
    later?.catch(this.#fail);
  }

  /** Requests no further animation frames, until a change or `wake`. */
  #rest(): void {
    this.#source.cancelFrame(this.#request);
    this.#request = 0;
    this.#isResting = true;
  }

  readonly #noteSent = (): void => {
    this.#isChanged = false;
  };

  readonly #fail = (error: unknown): void => {
    this.#isDeferred = false;
    if (this.#isDisposed) return;
    // Do not retry a failed frame.
    this.ignoreChanges();
    this.stop();
    this.#onError(error);
  };
}

/** The activity of a picture that always changes. */
const ALWAYS_MOVING: Activity = {
  hasTicks: true,
  isMoving: true,
  willMove: true,
  settling: { frames: 0, seconds: 0 },
};

const isClockTaken = (): boolean => (globalThis as { fencepostClock?: string }).fencepostClock === 'taken';

/**
 * A clip that is being played. It goes by scene time, on the render thread: also while the page is busy.
 *
 *   play ─► next frame: it begins ─► … ─► `once`: its end ─► finished      stop ─► fades out ─► finished, gone
 *
 * What several playbacks drive is mixed by their weights; where these add up to less than 1, the rest is what the page has set.
 */

import { messageOf, OptionError, SceneError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { byDefault, numberFrom } from '../../core/options/members.js';
import {
  clipEnd,
  PlaybackMode,
  type PlaybackState,
  playbackSeconds,
  playbackWeight,
  playedSeconds,
  sampleTrack,
} from '../../proxy/motion/clip.js';
import type { ClipDescription } from '../../proxy/scene-description.js';
import { ClipCues } from './clip-cues.js';
import type { ClipUpdates } from './clip-updates.js';

/** What a file can do. */
export interface AnimationClip {
  readonly name: string;
  /** Seconds. */
  readonly duration: number;
}

/** Before the first frame that shows it, a playback is where it begins. */
const NOT_YET = Number.POSITIVE_INFINITY;

const STOP_OPTIONS = { fadeSeconds: byDefault(numberFrom(0, 1e6), 0) };

export class Playback {
  readonly clip: AnimationClip;
  /**
   * Resolves at the end of a clip that is played once, with the frame that shows it, or when the playback was stopped or its level
   * unloaded. One that repeats ends with `stop()` alone.
   */
  readonly finished: Promise<void>;
  /** @internal */
  readonly description: ClipDescription;
  /** @internal */
  readonly isAdditive: boolean;
  readonly #updates: ClipUpdates;
  #state: PlaybackState;
  #isStopping = false;
  #isGone = false;
  #isFinished = false;
  /** Whether `settle` is called in every frame: not while nothing can come of it. */
  #isAwake = true;
  readonly #cues: ClipCues;
  #finish = (): void => {};

  /** @internal use `level.play` */
  constructor(
    updates: ClipUpdates,
    clip: AnimationClip,
    description: ClipDescription,
    state: Omit<PlaybackState, 'startSeconds' | 'fadeStart'>,
    isAdditive: boolean,
  ) {
    this.#updates = updates;
    this.clip = clip;
    this.#cues = new ClipCues(clip.duration, (seconds, cause) => {
      const message = `A listener at ${seconds} s of "${clip.name}" threw: ${messageOf(cause)}`;
      updates.reportError(new SceneError('listener-failed', message, { cause }));
    });
    this.description = description;
    this.isAdditive = isAdditive;
    this.#state = { ...state, startSeconds: NOT_YET, fadeStart: NOT_YET };
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Whether it still has a say: it was not stopped, or is fading out. */
  get isPlaying(): boolean {
    return !this.#isGone;
  }

  /** How much it counts, from 0; while it fades, how much it counts now. Setting it ends the fade. */
  get weight(): number {
    if (this.#isGone) return 0;
    return playbackWeight(this.#state, this.#seconds);
  }
  set weight(weight: number) {
    checkNumber('a playback', 'weight', weight, 0, 1e6);
    this.#fade(weight, weight, 0);
  }

  /** Factor on time; negative: backwards, 0: it holds its pose. */
  get speed(): number {
    return this.#state.speed;
  }
  set speed(speed: number) {
    checkNumber('a playback', 'speed', speed, -1e6, 1e6);
    this.#wake();
    const way = playedSeconds(this.#state, this.#seconds);
    // Played once, it goes on from its end, before which nothing is on the way again. One that repeats stands still where it is seen:
    // its end is its beginning only while it goes on.
    const { mode } = this.#state;
    const isHeld = mode === PlaybackMode.repeat && speed === 0;
    const offset = mode === PlaybackMode.once || isHeld ? this.time : way;
    if (isHeld) this.#cues.shift(offset - way);
    // From now on, not from the next frame on: the time in between counts. Nor from before it begins.
    this.#go(offset, speed, Math.max(this.#seconds, this.#state.startSeconds));
  }

  /** Where in the clip it is, in seconds. */
  get time(): number {
    return playbackSeconds(this.#state, this.clip.duration, this.#seconds);
  }
  set time(seconds: number) {
    checkNumber('a playback', 'time', seconds, 0, 1e9);
    this.#wake();
    this.#cues.restart();
    this.#go(seconds, this.#state.speed, NOT_YET);
  }

  /** The weight goes there from what it is, in so many seconds. */
  fadeTo(weight: number, seconds: number): void {
    checkNumber('fadeTo', 'weight', weight, 0, 1e6);
    checkNumber('fadeTo', 'seconds', seconds, 0, 1e6);
    this.#fade(this.weight, weight, seconds);
  }

  /**
   * Calls a function whenever the clip is at a time on its way, with the frame that shows it: forwards and backwards, in each
   * round, once a frame at most. What `time` jumps over is not on the way.
   * @param seconds in the clip, 0 to its duration
   * @returns a function that ends the calls
   * @throws OptionError `option-invalid`, `option-out-of-range`
   * @example walk.onTime(0.4, () => footstep.play());
   */
  onTime(seconds: number, listener: () => void): () => void {
    checkNumber('onTime', 'seconds', seconds, 0, this.clip.duration);
    if (typeof listener !== 'function') {
      throw new OptionError('option-invalid', 'onTime takes a time in seconds and a function.');
    }
    this.#wake();
    return this.#cues.add(seconds, listener);
  }

  /**
   * Ends it, at once or fading out; what it moved goes back to where the page has put it, or to what else plays. Of several calls
   * the one that ends first counts.
   * @param options.fadeSeconds of scene time; default 0: at once
   * @throws OptionError `option-unknown`, `option-out-of-range`
   */
  stop(options: Shaped<typeof STOP_OPTIONS> = {}): void {
    const { fadeSeconds: seconds } = fillOptions('stop', options, STOP_OPTIONS);
    if (this.#isGone) return;
    if (seconds === 0) {
      this.end();
      return;
    }
    const { fadeStart, fadeSeconds } = this.#state;
    const isBegun = fadeStart !== NOT_YET;
    // Told in every tick, it would begin anew for ever.
    if (this.#isStopping && seconds >= fadeSeconds - (isBegun ? this.#seconds - fadeStart : 0)) return;
    this.#fade(this.weight, 0, seconds);
    this.#isStopping = true;
  }

  /** @internal At once. */
  end(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cues.clear();
    this.#updates.remove(this);
    this.#finish();
  }

  /**
   * @internal Per frame while it is awake, before it is sent: what has not begun begins now; tells of times on the way, and notices
   * its end.
   * @returns whether it stays awake
   */
  settle(seconds: number): boolean {
    const { startSeconds, fadeStart } = this.#state;
    if (startSeconds === NOT_YET) this.#state = { ...this.#state, startSeconds: seconds };
    if (fadeStart === NOT_YET) this.#state = { ...this.#state, fadeStart: seconds };
    const state = this.#state;
    this.#cues.tell(state.mode, state.offsetSeconds, playedSeconds(state, seconds));
    if (this.#isStopping && seconds >= state.fadeStart + state.fadeSeconds) this.end();
    else if (seconds >= clipEnd(state, this.clip.duration)) {
      this.#isFinished = true;
      this.#finish();
    }
    const isAwaited = state.mode === PlaybackMode.once && !this.#isFinished;
    this.#isAwake = !this.#isGone && (this.#isStopping || isAwaited || this.#cues.isHeard);
    return this.#isAwake;
  }

  /** Before it changes, or is listened to: the way that it has come while nobody looked is behind it. */
  #wake(): void {
    if (this.#isAwake || this.#isGone) return;
    this.#isAwake = true;
    this.#cues.skip(playedSeconds(this.#state, this.#updates.settledSeconds));
    this.#updates.wake(this);
  }

  /** @internal As of the last `settle`. */
  get state(): PlaybackState {
    return this.#state;
  }

  /** @internal Writes what a track says to the beginning of `out`. */
  sample(track: number, out: Float32Array, time: number): void {
    sampleTrack(this.description, track, time, 0, out);
  }

  get #seconds(): number {
    return this.#updates.timeSeconds;
  }

  #go(offsetSeconds: number, speed: number, startSeconds: number): void {
    this.#isFinished = false;
    this.#state = { ...this.#state, offsetSeconds, speed, startSeconds };
    this.#updates.mark(this);
  }

  #fade(from: number, to: number, seconds: number): void {
    if (this.#isGone) return;
    this.#wake();
    this.#isStopping = false;
    this.#state = {
      ...this.#state,
      weightFrom: from,
      weightTo: to,
      fadeSeconds: seconds,
      fadeStart: NOT_YET,
    };
    this.#updates.mark(this);
  }
}

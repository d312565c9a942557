/**
 * A clip that is being played. It runs in scene time on the render thread, even while the page is busy.
 *
 *   play ─► next frame: it begins ─► … ─► `once`: its end ─► finished      stop ─► fades out ─► finished, removed
 *
 * Playbacks of the same target are mixed by weight. If their weights add up to less than 1, the page's own
 * value makes up the rest.
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
  playbackEnd,
  playbackSeconds,
  playbackWeight,
  playedSeconds,
  sampleTrack,
} from '../../proxy/motion/clip.js';
import type { ClipDescription } from '../../proxy/scene-description.js';
import { ClipCues } from './clip-cues.js';
import type { ClipUpdates } from './clip-updates.js';

/** An animation of a loaded file. */
export interface AnimationClip {
  readonly name: string;
  /** Seconds. */
  readonly duration: number;
}

/** Start time of a playback or fade that begins with the next frame. Until then its beginning is shown. */
const NOT_STARTED = Number.POSITIVE_INFINITY;

const STOP_OPTIONS = { fadeSeconds: byDefault(numberFrom(0, 1e6), 0) };

export class Playback {
  readonly clip: AnimationClip;
  /**
   * Resolves in the frame that shows the end of a clip played once, or when the playback ends by `stop` (after its
   * fade-out) or with its level. A repeating playback has no end of its own.
   */
  readonly finished: Promise<void>;
  /** @internal */
  readonly description: ClipDescription;
  /** @internal */
  readonly isAdditive: boolean;
  readonly #updates: ClipUpdates;
  #state: PlaybackState;
  #isStopping = false;
  #isRemoved = false;
  #isFinished = false;
  /** Whether `settle` is called in every frame. False while it would have nothing to do. */
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
    this.#state = { ...state, startSeconds: NOT_STARTED, fadeStart: NOT_STARTED };
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Whether the playback has an effect: true until it is stopped and its fade-out has ended. */
  get isPlaying(): boolean {
    return !this.#isRemoved;
  }

  /** Current weight, from 0. It changes during a fade. Setting it ends the fade, and cancels a `stop` with a fade. */
  get weight(): number {
    if (this.#isRemoved) return 0;
    return playbackWeight(this.#state, this.#seconds);
  }
  set weight(weight: number) {
    checkNumber('a playback', 'weight', weight, 0, 1e6);
    this.#fade(weight, weight, 0);
  }

  /** Factor on time; negative plays backwards, 0 holds the pose. */
  get speed(): number {
    return this.#state.speed;
  }
  set speed(speed: number) {
    checkNumber('a playback', 'speed', speed, -1e6, 1e6);
    this.#wake();
    const played = playedSeconds(this.#state, this.#seconds);
    // A clip played once continues from the visible time, so that it can turn back from its end at once. A repeating
    // clip at speed 0 also keeps the visible time. A played time equal to the duration shows the beginning while the
    // clip moves. At speed 0 it is not wrapped, so the picture would jump to the end.
    const { mode } = this.#state;
    const isHeld = mode === PlaybackMode.repeat && speed === 0;
    const offset = mode === PlaybackMode.once || isHeld ? this.time : played;
    if (isHeld) this.#cues.shift(offset - played);
    // The change takes effect now rather than with the next frame, but never before the playback begins.
    this.#continueFrom(offset, speed, Math.max(this.#seconds, this.#state.startSeconds));
  }

  /** Current time in the clip, in seconds. */
  get time(): number {
    return playbackSeconds(this.#state, this.clip.duration, this.#seconds);
  }
  set time(seconds: number) {
    checkNumber('a playback', 'time', seconds, 0, 1e9);
    this.#wake();
    this.#cues.restart();
    this.#continueFrom(seconds, this.#state.speed, NOT_STARTED);
  }

  /** Changes the weight gradually from its current value, within the given seconds. Cancels a `stop` with a fade. */
  fadeTo(weight: number, seconds: number): void {
    checkNumber('fadeTo', 'weight', weight, 0, 1e6);
    checkNumber('fadeTo', 'seconds', seconds, 0, 1e6);
    this.#fade(this.weight, weight, seconds);
  }

  /**
   * Calls a function whenever the clip passes a time, forwards or backwards, in each repetition, at most once per
   * frame. The call comes with the frame that shows the time. Setting `time` jumps without calling the listeners of
   * the times in between.
   * @param seconds in the clip, 0 to its duration
   * @returns a function that removes the listener
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
   * Ends the playback, at once or with a fade-out. Its targets return to the page's own values, or to other
   * playbacks. After several calls, the earliest end applies.
   * @param options.fadeSeconds seconds of scene time; default 0: at once
   * @throws OptionError `option-unknown`, `option-out-of-range`
   */
  stop(options: Shaped<typeof STOP_OPTIONS> = {}): void {
    const { fadeSeconds: seconds } = fillOptions('stop', options, STOP_OPTIONS);
    if (this.#isRemoved) return;
    if (seconds === 0) {
      this.end();
      return;
    }
    const { fadeStart, fadeSeconds } = this.#state;
    const hasFadeBegun = fadeStart !== NOT_STARTED;
    // A fade that ends earlier continues. Calling `stop` in every tick would otherwise restart it for ever.
    if (this.#isStopping && seconds >= fadeSeconds - (hasFadeBegun ? this.#seconds - fadeStart : 0)) return;
    this.#fade(this.weight, 0, seconds);
    this.#isStopping = true;
  }

  /** @internal Ends the playback at once. */
  end(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.#cues.clear();
    this.#updates.remove(this);
    this.#finish();
  }

  /**
   * @internal Called per frame while the playback is awake, before it is sent. Starts the playback if it has not begun,
   * schedules its listeners, and detects its end.
   * @returns whether the playback stays awake
   */
  settle(seconds: number): boolean {
    const { startSeconds, fadeStart } = this.#state;
    if (startSeconds === NOT_STARTED) this.#state = { ...this.#state, startSeconds: seconds };
    if (fadeStart === NOT_STARTED) this.#state = { ...this.#state, fadeStart: seconds };
    const state = this.#state;
    this.#cues.advance(state.mode, state.offsetSeconds, playedSeconds(state, seconds));
    if (this.#isStopping && seconds >= state.fadeStart + state.fadeSeconds) this.end();
    else if (seconds >= this.#clipEnd) {
      this.#isFinished = true;
      this.#finish();
    }
    const isEndPending = state.mode === PlaybackMode.once && !this.#isFinished;
    this.#isAwake = !this.#isRemoved && (this.#isStopping || isEndPending || this.#cues.hasListeners);
    return this.#isAwake;
  }

  /**
   * Has `settle` called in the next frames. Called before a change is made or a listener is added. Times that were
   * passed without `settle` call no listeners.
   */
  #wake(): void {
    if (this.#isAwake || this.#isRemoved) return;
    this.#isAwake = true;
    this.#cues.skip(playedSeconds(this.#state, this.#updates.settledSeconds));
    this.#updates.wake(this);
  }

  /** @internal Scene time after which the picture stays the same and no listener is called. */
  get endSeconds(): number {
    const end = playbackEnd(this.#state, this.clip.duration);
    return this.#isAwake && this.#state.speed !== 0 ? Math.max(end, this.#clipEnd) : end;
  }

  get #clipEnd(): number {
    return clipEnd(this.#state, this.clip.duration);
  }

  /** @internal The state that is sent to the render thread. */
  get state(): PlaybackState {
    return this.#state;
  }

  /** @internal Writes a track's value at a time to the start of `out`. */
  sample(track: number, out: Float32Array, time: number): void {
    sampleTrack(this.description, track, time, 0, out);
  }

  get #seconds(): number {
    return this.#updates.timeSeconds;
  }

  #continueFrom(offsetSeconds: number, speed: number, startSeconds: number): void {
    this.#isFinished = false;
    this.#state = { ...this.#state, offsetSeconds, speed, startSeconds };
    this.#updates.mark(this);
  }

  #fade(from: number, to: number, seconds: number): void {
    if (this.#isRemoved) return;
    this.#wake();
    this.#isStopping = false;
    this.#state = {
      ...this.#state,
      weightFrom: from,
      weightTo: to,
      fadeSeconds: seconds,
      fadeStart: NOT_STARTED,
    };
    this.#updates.mark(this);
  }
}

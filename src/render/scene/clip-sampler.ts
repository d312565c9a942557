import type { ClipData, PlaybackState } from '../../proxy/motion/clip.js';

/** A playback whose clip is sampled before its values are mixed. */
export interface SampledPlayback {
  readonly clip: ClipData;
  readonly state: PlaybackState;
  /** Index of the playback's values after `ClipSampler.sample` has returned true; −1: the playback has no weight. */
  entry: number;
}

/** Samples clips on several threads. */
export interface ClipSampler {
  /**
   * Samples all playbacks whose weight is positive at this scene time, and sets `entry` of all playbacks.
   * @returns false, without sampling, if there are too few tracks
   */
  sample(playbacks: ReadonlyMap<unknown, SampledPlayback>, sceneSeconds: number): boolean;
  /** Returns an array that holds the values of an entry's tracks, from `firstValueOf` on. */
  valuesOf(entry: number): Float32Array;
  firstValueOf(entry: number): number;
  /** Releases the data of a clip that was destroyed. */
  forget(clip: ClipData): void;
}

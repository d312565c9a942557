import type { ClipData, PlaybackState } from '../../proxy/motion/clip.js';

/** A playback whose clip is sampled before its values are mixed. */
export interface SampledPlayback {
  readonly clip: ClipData;
  readonly state: PlaybackState;
  /** Number of the playback in the last `ClipSampler.sample`; −1: it was not sampled. */
  entry: number;
}

/** Samples clips on several threads. */
export interface ClipSampler {
  /**
   * Samples all playbacks that have a weight at this scene time.
   * @returns false, without sampling, if there are too few tracks
   */
  sample(playbacks: ReadonlyMap<unknown, SampledPlayback>, sceneSeconds: number): boolean;
  /** Returns an array that holds the values of an entry's tracks, from `firstValueOf` on. */
  valuesOf(entry: number): Float32Array;
  firstValueOf(entry: number): number;
  /** Releases the data of a clip that was destroyed. */
  forget(clip: ClipData): void;
}

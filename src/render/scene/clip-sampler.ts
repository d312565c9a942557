import type { ClipData, PlaybackState } from '../../proxy/motion/clip.js';

/** A playback whose values are sampled before they are mixed. */
export interface SampledPlayback {
  readonly clip: ClipData;
  readonly state: PlaybackState;
  /** Of the last `ClipSampler.sample`: which of those that were sampled; −1: none. */
  entry: number;
}

/** Samples clips on several threads. */
export interface ClipSampler {
  /** Samples all that have a weight at this scene time. @returns false: they are too few for that */
  sample(playbacks: ReadonlyMap<unknown, SampledPlayback>, sceneSeconds: number): boolean;
  /** Where the values of an entry's tracks are, one after the other. */
  valuesOf(entry: number): Float32Array;
  firstValueOf(entry: number): number;
  /** The clip is gone. */
  forget(clip: ClipData): void;
}

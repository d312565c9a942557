import { type ClipData, sampleTrack } from '../../proxy/motion/clip.js';
import { sizeOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';

/** Words of an entry, which is one playback whose clip is sampled. */
export const SampleEntry = {
  /** Number of the clip. */
  clip: 0,
  /** Index of the entry's first value among the values of all entries. */
  value: 1,
  /** Index of the entry's first track among the tracks of all entries. */
  track: 2,
} as const;
export const ENTRY_WORDS = 3;

/**
 * The memory of the loop that samples clips: the entries to sample, and the results of each thread. A thread
 * writes only its own values, and the render thread reads the values of the thread that has run the range.
 *
 *   │ seconds of entry 0, 1 … │ values of the render thread │ of helper 1 │ … │ entry 0: clip, value, track │ entry 1 │ …
 */
export class SampleArrays {
  readonly seconds: Float64Array;
  readonly entries: Uint32Array;
  readonly #buffer: SharedArrayBuffer;
  readonly #values: number;

  /**
   * @param entries capacity in entries
   * @param values capacity in floats, for all entries
   * @param threads number of threads, including the render thread
   */
  constructor(buffer: SharedArrayBuffer, entries: number, values: number, threads: number) {
    this.#buffer = buffer;
    this.#values = values;
    this.seconds = new Float64Array(buffer, 0, entries);
    this.entries = new Uint32Array(buffer, entries * 8 + threads * values * 4, entries * ENTRY_WORDS);
  }

  static bytes(entries: number, values: number, threads: number): number {
    return entries * 8 + threads * values * 4 + entries * ENTRY_WORDS * 4;
  }

  get capacity(): number {
    return this.seconds.length;
  }

  /** Returns the values of a thread. @param thread 0: the render thread; helpers from 1 on */
  valuesOf(thread: number): Float32Array {
    return new Float32Array(this.#buffer, this.seconds.byteLength + thread * this.#values * 4, this.#values);
  }
}

/** Samples entries, on any thread. It allocates nothing once its cursors are large enough. */
export class EntrySampler {
  /** Keyframe cursors of the tracks of all entries. They are only hints, so each thread has its own. */
  #cursors = new Uint32Array(0);

  /**
   * Samples entries from `first` up to but without `end`.
   * @param clipOf returns a clip by number; undefined: the loop has ended, and the results are not read
   */
  sample(
    { entries, seconds }: SampleArrays,
    values: Float32Array,
    first: number,
    end: number,
    clipOf: (number: number) => ClipData | undefined,
  ): void {
    for (let entry = first; entry < end; entry++) {
      const at = entry * ENTRY_WORDS;
      const clip = clipOf(entries[at + SampleEntry.clip] as number);
      if (!clip) continue;
      const time = seconds[entry] as number;
      let to = entries[at + SampleEntry.value] as number;
      const track = entries[at + SampleEntry.track] as number;
      const count = clip.tracks.length / TRACK_WORDS;
      if (this.#cursors.length < track + count) this.#cursors = new Uint32Array(2 * (track + count));
      const cursors = this.#cursors;
      for (let index = 0; index < count; index++) {
        cursors[track + index] = sampleTrack(clip, index, time, cursors[track + index] as number, values, to);
        to += sizeOf(clip.tracks[index * TRACK_WORDS] as number);
      }
    }
  }
}

/** Returns the number of floats of all tracks of a clip. */
export function valuesOfClip({ tracks }: ClipData): number {
  let sum = 0;
  for (let at = 0; at < tracks.length; at += TRACK_WORDS) sum += sizeOf(tracks[at] as number);
  return sum;
}

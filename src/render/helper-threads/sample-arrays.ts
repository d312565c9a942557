import { type ClipData, sampleTrack } from '../../proxy/motion/clip.js';
import { sizeOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';

/** Words of an entry: one playback whose clip is sampled. */
export const SampleEntry = {
  /** The clip's number. */
  clip: 0,
  /** Its first value among those of all entries, and its first track. */
  value: 1,
  track: 2,
} as const;
export const ENTRY_WORDS = 3;

/**
 * The memory of the loop that samples clips: what is to be sampled, and what each thread has made of it. A thread writes into values of its
 * own alone, and the render thread reads the ones of whoever has run the range.
 *
 *   │ seconds of entry 0, 1 … │ values of the render thread │ of helper 1 │ … │ entry 0: clip, value, track │ entry 1 │ …
 */
export class SampleArrays {
  readonly seconds: Float64Array;
  readonly entries: Uint32Array;
  readonly #buffer: SharedArrayBuffer;
  readonly #values: number;

  /** @param entries that there is room for @param values floats of all of them @param threads with the render thread */
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

  /** @param thread 0: the render thread; helpers from 1 on */
  valuesOf(thread: number): Float32Array {
    return new Float32Array(this.#buffer, this.seconds.byteLength + thread * this.#values * 4, this.#values);
  }
}

/** Samples entries, on any thread. It allocates nothing once its cursors are there. */
export class EntrySampler {
  /** By track of all entries: hints only, so that each thread has its own. */
  #cursors = new Uint32Array(0);

  /** @param clipOf by number; undefined where the loop is over, and nobody looks at what is made */
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

/** Floats that all tracks of a clip have. */
export function valuesOfClip({ tracks }: ClipData): number {
  let sum = 0;
  for (let at = 0; at < tracks.length; at += TRACK_WORDS) sum += sizeOf(tracks[at] as number);
  return sum;
}

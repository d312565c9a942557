import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { grownLength } from '../../core/memory/grow.js';
import { type ClipData, playbackSeconds, playbackWeight } from '../../proxy/motion/clip.js';
import { CROWD_TRACKS, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { ClipSampler, SampledPlayback } from '../scene/clip-sampler.js';
import { type LoopHelpers, LoopKind, SampleArgument } from './helper-loops.js';
import type { RangeLoop, RangeTask } from './range-loop.js';
import { MOST_RANGES, RangeWord } from './range-memory.js';
import { ENTRY_WORDS, EntrySampler, SampleArrays, SampleEntry, valuesOfClip } from './sample-arrays.js';

/** Intended number of tracks per range: about 12 µs of work. */
const TRACKS_PER_RANGE = 256;

interface SharedClip {
  readonly number: number;
  readonly data: ClipData;
  /** Number of floats that a sample of all tracks has. */
  readonly values: number;
}

/**
 * Samples the playing clips on the render thread and its helpers (SYSTEMS R1). This needs `CROWD_TRACKS` tracks or
 * more in all playbacks together. A sample depends only on a clip and a time, so its values are the same on every
 * thread. Only the render thread mixes the values, in the order of playbacks.
 *
 *   playbacks ─► entries: clip, seconds ─┬─► range 0: render thread ─┐
 *                                        ├─► range 1: helper 2       ├─► values, read in place ─► poses
 *                                        └─► range 2: render thread ─┘
 */
export class ClipLoop implements ClipSampler, RangeTask {
  readonly #helpers: LoopHelpers;
  readonly #loop: RangeLoop;
  readonly #words: Int32Array;
  readonly #events: EventRing;
  readonly #clips = new Map<ClipData, SharedClip>();
  readonly #byNumber = new Map<number, ClipData>();
  readonly #sampler = new EntrySampler();
  /** Thread that has run each range. */
  readonly #threads = new Uint8Array(MOST_RANGES);
  readonly #values: Float32Array[] = [];
  #arrays: SampleArrays | null = null;
  #valueCapacity = 0;
  #memories = 0;
  #numbers = 0;
  /**
   * Number of the newest clip that has not been forgotten; 0: none. Forgotten clips do not count, because a helper that
   * joins later never receives them.
   */
  #newest = 0;
  #count = 0;
  #perRange = 1;

  constructor(helpers: LoopHelpers, loop: RangeLoop, events: EventRing) {
    this.#helpers = helpers;
    this.#loop = loop;
    this.#words = new Int32Array(helpers.memory);
    this.#events = events;
  }

  sample(playbacks: ReadonlyMap<unknown, SampledPlayback>, sceneSeconds: number): boolean {
    let tracks = 0;
    let values = 0;
    let entries = 0;
    for (const playback of playbacks.values()) {
      playback.entry = -1;
      if (playbackWeight(playback.state, sceneSeconds) <= 0) continue;
      playback.entry = entries++;
      tracks += playback.clip.tracks.length / TRACK_WORDS;
      values += this.#share(playback.clip).values;
    }
    if (tracks < CROWD_TRACKS) return false;
    const began = this.#events.begin(TimelineEvent.loop, 0);
    this.#write(this.#reserve(entries, values), playbacks, sceneSeconds);
    const ranges = Math.min(MOST_RANGES, entries, Math.ceil(tracks / TRACKS_PER_RANGE));
    this.#count = entries;
    this.#perRange = Math.ceil(entries / ranges);
    const at = RangeWord.arguments;
    const words = this.#words;
    words[at + SampleArgument.kind] = LoopKind.sample;
    words[at + SampleArgument.clips] = this.#newest;
    words[at + SampleArgument.entries] = entries;
    words[at + SampleArgument.perRange] = this.#perRange;
    this.#loop.run(Math.ceil(entries / this.#perRange), this);
    this.#events.end(TimelineEvent.loop, 0, began, this.#loop.helped);
    return true;
  }

  valuesOf(entry: number): Float32Array {
    return this.#values[this.#threads[Math.floor(entry / this.#perRange)] as number] as Float32Array;
  }

  firstValueOf(entry: number): number {
    return this.#arrays?.entries[entry * ENTRY_WORDS + SampleEntry.value] ?? 0;
  }

  forget(clip: ClipData): void {
    const shared = this.#clips.get(clip);
    if (!shared) return;
    this.#clips.delete(clip);
    this.#byNumber.delete(shared.number);
    if (shared.number === this.#newest) this.#newest = [...this.#byNumber.keys()].at(-1) ?? 0;
    this.#helpers.share({ kind: 'forgetClip', number: shared.number });
  }

  run(range: number): void {
    this.#threads[range] = 0;
    const first = range * this.#perRange;
    const end = Math.min(first + this.#perRange, this.#count);
    const arrays = this.#arrays as SampleArrays;
    this.#sampler.sample(arrays, this.#values[0] as Float32Array, first, end, this.#clipOf);
  }

  collect(range: number, helper: number): void {
    this.#threads[range] = helper;
  }

  readonly #clipOf = (number: number): ClipData | undefined => this.#byNumber.get(number);

  #write(
    { entries, seconds }: SampleArrays,
    playbacks: ReadonlyMap<unknown, SampledPlayback>,
    sceneSeconds: number,
  ): void {
    let value = 0;
    let track = 0;
    for (const { entry, clip, state } of playbacks.values()) {
      if (entry < 0) continue;
      const shared = this.#share(clip);
      const at = entry * ENTRY_WORDS;
      entries[at + SampleEntry.clip] = shared.number;
      entries[at + SampleEntry.value] = value;
      entries[at + SampleEntry.track] = track;
      seconds[entry] = playbackSeconds(state, clip.duration, sceneSeconds);
      value += shared.values;
      track += clip.tracks.length / TRACK_WORDS;
    }
  }

  /** Once per clip: copies its data to shared memory, and sends the memory to the helpers. */
  #share(clip: ClipData): SharedClip {
    const known = this.#clips.get(clip);
    if (known) return known;
    const number = ++this.#numbers;
    this.#newest = number;
    const shared = { number, data: clip, values: valuesOfClip(clip) };
    this.#clips.set(clip, shared);
    this.#byNumber.set(number, clip);
    const tracks = new SharedArrayBuffer(clip.tracks.byteLength);
    const floats = new SharedArrayBuffer(clip.floats.byteLength);
    new Uint32Array(tracks).set(clip.tracks);
    new Float32Array(floats).set(clip.floats);
    this.#helpers.share({ kind: 'clip', number, duration: clip.duration, tracks, floats });
    return shared;
  }

  /** Replaces the shared memory if it is too small, and sends the new memory to the helpers. */
  #reserve(entries: number, values: number): SampleArrays {
    if (this.#arrays && this.#arrays.capacity >= entries && this.#valueCapacity >= values)
      return this.#arrays;
    const capacity = grownLength(this.#arrays?.capacity ?? 0, entries);
    this.#valueCapacity = grownLength(this.#valueCapacity, values);
    const threads = this.#helpers.count + 1;
    const buffer = new SharedArrayBuffer(SampleArrays.bytes(capacity, this.#valueCapacity, threads));
    this.#arrays = new SampleArrays(buffer, capacity, this.#valueCapacity, threads);
    for (let thread = 0; thread < threads; thread++) this.#values[thread] = this.#arrays.valuesOf(thread);
    this.#words[RangeWord.arguments + SampleArgument.samples] = ++this.#memories;
    const number = this.#memories;
    this.#helpers.share({
      kind: 'samples',
      number,
      buffer,
      entries: capacity,
      values: this.#valueCapacity,
      threads,
    });
    return this.#arrays;
  }
}

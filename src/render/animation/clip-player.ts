import { readDouble } from '../../core/records/wide-words.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import {
  type ClipData,
  playbackEnd,
  playbackSeconds,
  playbackWeight,
  sampleTrack,
} from '../../proxy/motion/clip.js';
import { ClipPath, pathOf, sizeOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { ClipSampler, SampledPlayback } from '../scene/clip-sampler.js';
import type { NodeHierarchy } from '../scene/node-hierarchy.js';
import type { Scene } from '../scene/scene.js';
import { DrivenNode } from './driven-node.js';
import { DrivenProperties } from './driven-properties.js';
import { DrivenWeights } from './driven-weights.js';

interface Playback extends SampledPlayback {
  readonly isAdditive: boolean;
  /**
   * Driven object of each track; `null` if the node or material does not exist, or if the playback leaves out
   * the track.
   */
  readonly driven: readonly (Driven | null)[];
  readonly nodes: Uint32Array;
  /** Keyframe cursor of each track. */
  readonly cursors: Uint32Array;
}

type Driven = DrivenNode | DrivenWeights | DrivenProperties;

/**
 * Plays clips on nodes and materials. Before a frame's command list is recorded, each driven property gets its value at
 * the list's scene time, for example a node's local transform. It overrides the value that the game has sent (the
 * *rest*).
 *
 *   createClip ──► clips ─┐
 *   setPlayback ─► playbacks ─► per track: sample ─► pose of its node ─► local transform
 *
 * Clips stop driving an object when it is destroyed. The object's id is not reused before the next command list, so the
 * id never names a new object by mistake.
 */
export class ClipPlayer {
  readonly #scene: Scene;
  readonly #nodes: NodeHierarchy;
  readonly #clips = new Map<number, ClipData>();
  /** Playbacks by id, in the order in which they began. */
  readonly #playbacks = new Map<number, Playback>();
  readonly #drivenNodes = new Map<number, DrivenNode>();
  readonly #drivenWeights = new Map<number, DrivenWeights>();
  readonly #drivenProperties = new Map<string, DrivenProperties>();
  #value = new Float32Array(4);
  #first = new Float32Array(4);
  #appliedSeconds = Number.NEGATIVE_INFINITY;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#nodes = scene.nodes;
  }

  /** Executes the reader's current record if it concerns clips. @returns whether it does */
  execute(reader: StreamReader): boolean {
    const { words, fields, opcode } = reader;
    const id = words[fields] as number;
    if (opcode === RenderOpcode.createClip) this.#clips.set(id, readClip(reader));
    else if (opcode === RenderOpcode.destroyClip) this.#destroyClip(id);
    else if (opcode === RenderOpcode.setPlayback) this.#set(id, reader);
    else if (opcode === RenderOpcode.removePlayback) this.#remove(id);
    else return false;
    return true;
  }

  /** Whether a playback still changes something after the scene time of the last command list. */
  get isMoving(): boolean {
    for (const { state, clip } of this.#playbacks.values())
      if (playbackEnd(state, clip.duration) > this.#appliedSeconds) return true;
    return false;
  }

  /**
   * Per command list: writes all properties that clips drive, at `seconds` of scene time.
   * @returns whether a value has changed
   */
  apply(seconds: number): boolean {
    this.#appliedSeconds = seconds;
    const properties = this.#drivenProperties;
    if (this.#drivenNodes.size + this.#drivenWeights.size + properties.size === 0) return false;
    for (const each of this.#drivenNodes.values()) each.begin();
    for (const each of this.#drivenWeights.values()) each.begin();
    for (const each of properties.values()) each.begin();
    const sampler = this.#sampleTogether(seconds);
    for (const playback of this.#playbacks.values())
      if (!playback.isAdditive) this.#sample(playback, seconds, sampler);
    for (const each of this.#drivenNodes.values()) each.finish();
    for (const each of this.#drivenWeights.values()) each.finish();
    for (const each of properties.values()) each.finish();
    for (const playback of this.#playbacks.values())
      if (playback.isAdditive) this.#sample(playback, seconds, sampler);
    let hasChanged = false;
    for (const driven of this.#drivenNodes.values()) {
      if (!this.#nodes.has(driven.node)) driven.tracks = 0;
      else if (driven.write()) hasChanged = true;
      if (driven.tracks === 0) this.#drivenNodes.delete(driven.node);
    }
    for (const driven of this.#drivenWeights.values()) {
      const { node, sums, restShare } = driven;
      if (!this.#nodes.has(node)) driven.tracks = 0;
      else if (this.#scene.deformers?.driveWeights(node, sums, restShare)) hasChanged = true;
      if (driven.tracks === 0) this.#drivenWeights.delete(node);
    }
    for (const [key, each] of properties) {
      if (!each.exists) each.tracks = 0;
      else if (each.write()) hasChanged = true;
      if (each.tracks === 0) properties.delete(key);
    }
    return hasChanged;
  }

  /** Samples all playbacks together. @returns null if each playback must be sampled by itself */
  #sampleTogether(seconds: number): ClipSampler | null {
    const sampler = this.#scene.primitives.culler?.clips;
    return sampler?.sample(this.#playbacks, seconds) ? sampler : null;
  }

  #destroyClip(id: number): void {
    const clip = this.#clips.get(id);
    this.#clips.delete(id);
    if (clip) this.#scene.primitives.culler?.clips?.forget(clip);
  }

  /** Adds a playback's values to its driven objects. Called per playback and command list; allocates nothing. */
  #sample(
    { clip, state, isAdditive, driven, cursors, entry }: Playback,
    seconds: number,
    sampler: ClipSampler | null,
  ): void {
    const weight = playbackWeight(state, seconds);
    if (weight <= 0) return;
    const time = playbackSeconds(state, clip.duration, seconds);
    const value = this.#value;
    const sampled = sampler?.valuesOf(entry);
    let from = sampler?.firstValueOf(entry) ?? 0;
    for (let track = 0; track < driven.length; track++) {
      const of = driven[track];
      const word = clip.tracks[track * TRACK_WORDS] as number;
      const size = sizeOf(word);
      const at = from;
      from += size;
      // The track drives nothing, or its node or material has been destroyed.
      if (!of?.tracks) continue;
      const path = pathOf(word);
      if (sampled) for (let index = 0; index < size; index++) value[index] = sampled[at + index] as number;
      else cursors[track] = sampleTrack(clip, track, time, cursors[track] as number, value);
      if (isAdditive) sampleTrack(clip, track, 0, 0, this.#first);
      const first = isAdditive ? this.#first : null;
      if (of instanceof DrivenNode) of.add(path, value, first, weight);
      else if (of instanceof DrivenWeights) of.add(size, value, first, weight);
      else of.add(word, size, value, first, weight);
    }
  }

  #set(id: number, { words, fields: at }: StreamReader): void {
    const clip = this.#clips.get(words[at + 1] as number);
    if (!clip) return;
    const count = words[at + 18] as number;
    const before = this.#playbacks.get(id);
    const nodes = words.slice(at + 19, at + 19 + count);
    const isSame = before?.clip === clip && nodes.every((node, track) => node === before.nodes[track]);
    if (before && !isSame) releaseDriven(before);
    this.#playbacks.set(id, {
      clip,
      state: {
        startSeconds: readDouble(words, at + 2),
        offsetSeconds: readDouble(words, at + 4),
        speed: readDouble(words, at + 6),
        mode: words[at + 8] as number,
        fadeStart: readDouble(words, at + 9),
        fadeSeconds: readDouble(words, at + 11),
        weightFrom: readDouble(words, at + 13),
        weightTo: readDouble(words, at + 15),
      },
      isAdditive: words[at + 17] !== 0,
      driven: isSame
        ? before.driven
        : Array.from(nodes, (node, track) =>
            this.#driveTrack(node, clip.tracks[track * TRACK_WORDS] as number),
          ),
      nodes,
      entry: -1,
      cursors: isSame ? before.cursors : new Uint32Array(count),
    });
  }

  #remove(id: number): void {
    const playback = this.#playbacks.get(id);
    if (!playback) return;
    this.#playbacks.delete(id);
    releaseDriven(playback);
  }

  #driveTrack(node: number, word: number): Driven | null {
    if (pathOf(word) > ClipPath.weights) return this.#driveProperties(node, word);
    return pathOf(word) === ClipPath.weights ? this.#driveWeights(node, sizeOf(word)) : this.#driveNode(node);
  }

  #driveWeights(node: number, count: number): DrivenWeights | null {
    if (!this.#nodes.has(node)) return null;
    let driven = this.#drivenWeights.get(node);
    if (!driven) {
      driven = new DrivenWeights(node, count);
      this.#drivenWeights.set(node, driven);
    }
    if (this.#value.length < count) {
      this.#value = new Float32Array(count);
      this.#first = new Float32Array(count);
    }
    driven.addTrack(count);
    return driven;
  }

  #driveProperties(id: number, word: number): DrivenProperties | null {
    const key = `${pathOf(word)} ${id}`;
    const driven = this.#drivenProperties.get(key) ?? new DrivenProperties(this.#scene, pathOf(word), id);
    if (!driven.exists) return null;
    this.#drivenProperties.set(key, driven);
    driven.addTrack(word, sizeOf(word));
    return driven;
  }

  #driveNode(node: number): DrivenNode | null {
    if (!this.#nodes.has(node)) return null;
    let driven = this.#drivenNodes.get(node);
    if (!driven) {
      driven = new DrivenNode(this.#nodes, node);
      this.#drivenNodes.set(node, driven);
    }
    driven.tracks++;
    return driven;
  }
}

/** Removes a playback's tracks from its driven objects. Called when the playback ends or drives other objects. */
function releaseDriven({ driven }: Playback): void {
  for (const each of driven) {
    if (!each?.tracks) continue;
    each.tracks--;
    // Restores the rest now. A later restore would overwrite transforms that later commands of this frame
    // set.
    if (each.tracks === 0 && each instanceof DrivenNode) each.restore();
  }
}

function readClip({ words, floats, fields: at }: StreamReader): ClipData {
  const trackWords = words[at + 2] as number;
  const begin = at + 4 + trackWords;
  return {
    duration: floats[at + 1] as number,
    tracks: words.slice(at + 3, at + 3 + trackWords),
    floats: floats.slice(begin, begin + (words[at + 3 + trackWords] as number)),
  };
}

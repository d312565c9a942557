import { RenderOpcode } from '../../proxy/commands.js';
import { sizeOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { GeometryDescription, MorphDescription } from '../../proxy/scene-description.js';
import { deformedTriangles } from '../geometry/deformed-triangles.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { PosingTrack } from './clip-poses.js';

const BOX = 6;

/** The weights of a mesh for the morph targets of its geometry. */
export class MorphWeights {
  /** The weights that the page has set, without the effect of clips. */
  readonly weights: Float32Array;
  /** Tracks of clips that drive the weights. */
  tracks: PosingTrack[] = [];
  /** Set while the weights differ from the weights that were sent last. */
  isDirty = true;
  readonly #boxes: Float32Array;
  /** Returns the triangles that rays test for a mesh with morph weights. */
  readonly trianglesOf = deformedTriangles;

  /** @param initial the first weights; missing ones are 0 */
  constructor({ boxes }: Pick<MorphDescription, 'boxes'>, initial: readonly number[]) {
    this.#boxes = boxes;
    this.weights = new Float32Array(boxes.length / BOX);
    this.weights.set(initial.slice(0, this.weights.length));
  }

  clone(): MorphWeights {
    return new MorphWeights({ boxes: this.#boxes }, Array.from(this.weights));
  }

  set(target: number, weight: number): void {
    this.weights[target] = weight;
    this.isDirty = true;
  }

  /** Sends the weights, after the primitive's own record. */
  send({ writer }: SceneUpdates, primitive: number): void {
    this.isDirty = false;
    const { weights } = this;
    const at = writer.reserve(RenderOpcode.setMorphWeights, 2 + weights.length);
    writer.words[at] = primitive;
    writer.words[at + 1] = weights.length;
    writer.floats.set(weights, at + 2);
  }

  /** The current weights: the page's own weights, mixed with the weights of clips. */
  get shown(): Float32Array {
    return this.tracks.length > 0 ? mixWeights(this.weights, this.tracks) : this.weights;
  }

  /** Upper bounds of the distance by which any vertex is moved, along each axis. */
  get slack(): readonly number[] {
    return this.#reach().map(([low, high]) => Math.max(-low, high));
  }

  /** Returns the box of the deformed geometry. */
  boxOf({ minimum, maximum }: GeometryDescription) {
    const reach = this.#reach();
    return {
      minimum: minimum.map((value, axis) => value + (reach[axis]?.[0] ?? 0)),
      maximum: maximum.map((value, axis) => value + (reach[axis]?.[1] ?? 0)),
    };
  }

  /** Returns bounds of the offset of any vertex, along each axis. */
  #reach(): readonly (readonly [low: number, high: number])[] {
    const { shown } = this;
    return [0, 1, 2].map((axis) => {
      let low = 0;
      let high = 0;
      shown.forEach((weight, target) => {
        const a = weight * (this.#boxes[target * BOX + axis] as number);
        const b = weight * (this.#boxes[target * BOX + 3 + axis] as number);
        low += Math.min(a, b);
        high += Math.max(a, b);
      });
      return [low, high];
    });
  }
}

/**
 * Mixes weights as the render thread does (`clip-player.ts`). The weighted mean of the playbacks and the share of
 * the page's own weights come first, then additive playbacks.
 * @param rest the page's own weights
 */
function mixWeights(rest: Float32Array, tracks: readonly PosingTrack[]): Float32Array {
  const sums = new Float32Array(rest.length);
  let whole = 0;
  const playing = (isAdditive: boolean): void => {
    for (const { playback, track } of tracks) {
      const { description, weight, time } = playback;
      if (playback.isAdditive !== isAdditive || weight <= 0) continue;
      const value = new Float32Array(sizeOf(description.tracks[track * TRACK_WORDS] as number));
      const first = new Float32Array(value.length);
      playback.sample(track, value, time);
      if (isAdditive) playback.sample(track, first, 0);
      else whole += weight;
      for (let target = 0; target < sums.length; target++) {
        const difference = (value[target] ?? 0) - (first[target] ?? 0);
        sums[target] = (sums[target] as number) + difference * weight;
      }
    }
  };
  playing(false);
  const shares = Math.max(whole, 1);
  for (let target = 0; target < sums.length; target++) {
    const share = Math.max(1 - whole, 0) * (rest[target] as number);
    sums[target] = (sums[target] as number) / shares + share;
  }
  playing(true);
  return sums;
}

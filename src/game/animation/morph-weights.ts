import { RenderOpcode } from '../../proxy/commands.js';
import { sizeOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { GeometryDescription, MorphDescription } from '../../proxy/scene-description.js';
import { deformedTriangles } from '../geometry/deformed-triangles.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { PosingTrack } from './clip-poses.js';

const BOX = 6;

/** How much a mesh shows of each morph target of its geometry. */
export class MorphWeights {
  /** The page's own: those where no clip says otherwise. */
  readonly weights: Float32Array;
  /** What clips say of them. */
  tracks: PosingTrack[] = [];
  /** Others than the render side knows. */
  isDirty = true;
  readonly #boxes: Float32Array;
  /** What rays meet of a mesh that has them. */
  readonly trianglesOf = deformedTriangles;

  /** @param initial as far as they are given; the rest are 0 */
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

  /** Within an update, behind the primitive's own record. */
  send({ writer }: SceneUpdates, primitive: number): void {
    this.isDirty = false;
    const { weights } = this;
    const at = writer.reserve(RenderOpcode.setMorphWeights, 2 + weights.length);
    writer.words[at] = primitive;
    writer.words[at + 1] = weights.length;
    writer.floats.set(weights, at + 2);
  }

  /** What is shown now: these weights, and what clips make of them. */
  get shown(): Float32Array {
    return this.tracks.length > 0 ? mixWeights(this.weights, this.tracks) : this.weights;
  }

  /** The most that any vertex is moved by, each way. */
  get slack(): readonly number[] {
    return this.#reach().map(([low, high]) => Math.max(-low, high));
  }

  /** The box of a geometry that is moved so. */
  boxOf({ minimum, maximum }: GeometryDescription) {
    const reach = this.#reach();
    return {
      minimum: minimum.map((value, axis) => value + (reach[axis]?.[0] ?? 0)),
      maximum: maximum.map((value, axis) => value + (reach[axis]?.[1] ?? 0)),
    };
  }

  /** By axis: how far vertices are moved along it, at least and at most. */
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

/** As the render thread does (`clip-player.ts`): means by weight, the rest's share, and then what is added. */
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

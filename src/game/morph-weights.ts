import { RenderOpcode } from '../proxy/commands.js';
import type { GeometryDescription, MorphDescription } from '../proxy/scene-description.js';
import { deformedTriangles } from './deformed-triangles.js';
import type { SceneUpdates } from './scene-updates.js';

const BOX = 6;

/** How much a mesh shows of each morph target of its geometry, where no clip says otherwise. */
export class MorphWeights {
  readonly weights: Float32Array;
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

  /** The most that any vertex is moved by, each way. */
  get slack(): readonly number[] {
    return [0, 1, 2].map((axis) => {
      const [low, high] = this.#reach(axis);
      return Math.max(-low, high);
    });
  }

  /** The box of a geometry that is moved so. */
  boxOf({ minimum, maximum }: GeometryDescription) {
    const reach = [0, 1, 2].map((axis) => this.#reach(axis));
    return {
      minimum: minimum.map((value, axis) => value + (reach[axis]?.[0] ?? 0)),
      maximum: maximum.map((value, axis) => value + (reach[axis]?.[1] ?? 0)),
    };
  }

  /** How far vertices are moved along an axis, at least and at most. */
  #reach(axis: number): readonly [low: number, high: number] {
    let low = 0;
    let high = 0;
    this.weights.forEach((weight, target) => {
      const a = weight * (this.#boxes[target * BOX + axis] as number);
      const b = weight * (this.#boxes[target * BOX + 3 + axis] as number);
      low += Math.min(a, b);
      high += Math.max(a, b);
    });
    return [low, high];
  }
}

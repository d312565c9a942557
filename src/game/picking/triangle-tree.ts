/**
 * The triangles of a geometry as a tree of boxes, for rays. The tree is built when the first ray hits the geometry's
 * box, and cached.
 *
 *   all triangles ─ split at the middle of the longest side ─► two halves ─► … ─► leaves of a few triangles
 */
import {
  hitsBox,
  hitsTriangle,
  ShearedRay,
  type TriangleHit,
  type TriangleSource,
} from '../geometry/triangles.js';

const LEAF_TRIANGLES = 4;
const BOX = 6;

export class TriangleTree {
  readonly source: TriangleSource;
  /** Triangles, ordered so that the triangles of a leaf are adjacent. */
  readonly #order: Uint32Array;
  /** Per node: minimum and maximum corner. */
  readonly #boxes: number[] = [];
  /**
   * Per node: index of the second child (the first one follows the node). For a leaf: −1 − index of its first
   * triangle in `#order`.
   */
  readonly #links: number[] = [];
  /** Per node: number of triangles of a leaf. */
  readonly #counts: number[] = [];

  constructor(source: TriangleSource) {
    this.source = source;
    const count = Math.floor(source.corners.length / 3);
    this.#order = Uint32Array.from({ length: count }, (_, triangle) => triangle);
    if (count > 0) this.#build(0, count);
  }

  /**
   * Finds the nearest triangle before `hit.distance` and writes it to `hit`. At exactly that distance, only a triangle
   * with an index below `hit.triangle` counts.
   * @param side 1 hits only the front, which is counter-clockwise; −1 hits only the back; 0 hits both
   * @returns whether a triangle was found
   */
  intersect(
    origin: ArrayLike<number>,
    direction: ArrayLike<number>,
    side: number,
    hit: TriangleHit,
  ): boolean {
    if (this.#links.length === 0) return false;
    const ray = new ShearedRay(origin, direction);
    let isHit = false;
    const pending = [0];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (!hitsBox(this.#boxes, node * BOX, origin, direction, hit.distance)) continue;
      const link = this.#links[node] as number;
      if (link >= 0) {
        pending.push(link, node + 1);
        continue;
      }
      const first = -1 - link;
      for (let index = first; index < first + (this.#counts[node] as number); index++) {
        if (hitsTriangle(this.source, this.#order[index] as number, ray, side, hit)) isHit = true;
      }
    }
    return isHit;
  }

  #build(begin: number, end: number): void {
    const order = this.#order;
    const { corners, floats, stride } = this.source;
    const node = this.#links.length;
    const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    for (let index = begin; index < end; index++) {
      for (let corner = 0; corner < 3; corner++) {
        const vertex = (corners[(order[index] as number) * 3 + corner] as number) * stride;
        for (let axis = 0; axis < 3; axis++) {
          const value = floats[vertex + axis] as number;
          box[axis] = Math.min(box[axis] as number, value);
          box[axis + 3] = Math.max(box[axis + 3] as number, value);
        }
      }
    }
    this.#boxes.push(...box);
    this.#links.push(-1 - begin);
    this.#counts.push(end - begin);
    if (end - begin <= LEAF_TRIANGLES) return;
    const sides = [0, 1, 2].map((axis) => (box[axis + 3] as number) - (box[axis] as number));
    const axis = sides.indexOf(Math.max(...sides));
    const middle = this.#partition(begin, end, axis, ((box[axis] as number) + (box[axis + 3] as number)) / 2);
    this.#build(begin, middle);
    this.#links[node] = this.#links.length;
    this.#build(middle, end);
  }

  /**
   * Moves the triangles on the lower side of a plane to the front.
   * @returns the index of the first triangle on the upper side. If nearly all triangles are on one side, the index in
   * the middle is returned instead, which keeps the tree shallow
   */
  #partition(begin: number, end: number, axis: number, plane: number): number {
    const order = this.#order;
    const { corners, floats, stride } = this.source;
    let middle = begin;
    for (let index = begin; index < end; index++) {
      const triangle = order[index] as number;
      let sum = 0;
      for (let corner = 0; corner < 3; corner++) {
        sum += floats[(corners[triangle * 3 + corner] as number) * stride + axis] as number;
      }
      if (sum >= plane * 3) continue;
      order[index] = order[middle] as number;
      order[middle++] = triangle;
    }
    const fewest = (end - begin) / 8;
    return middle - begin < fewest || end - middle < fewest ? (begin + end) >> 1 : middle;
  }
}

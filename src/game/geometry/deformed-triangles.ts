import { VertexFormat, vertexAttributeOffset, vertexStride } from '../../proxy/geometry/vertex-format.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';
import type { Triple } from '../transforms/triples.js';
import { type TriangleSource, trianglesOf } from './triangles.js';

const ROWS = 12;
const JOINTS_PER_VERTEX = 4;

interface DeformedTriangles {
  readonly source: TriangleSource;
  readonly isMirrored: boolean;
}

/** Places vertices of a mesh in the world, by its current joints and morph weights. */
export class VertexPlacer {
  readonly #floats: Float32Array;
  readonly #halves: Uint16Array;
  readonly #stride: number;
  /** Index of the four joints of vertex 0, in 16-bit words. */
  readonly #jointsAt: number;
  readonly #isSkinned: boolean;
  /** Weights of the morph targets, and the targets' moves of all vertices. */
  readonly #weights: ArrayLike<number>;
  readonly #moves: Float32Array;
  readonly #moveFloats: number;
  readonly #count: number;
  readonly #place: Triple = [0, 0, 0];
  /** Three rows of the world-from-mesh matrix, for each joint of a skinned mesh. */
  readonly rows: Float64Array;

  constructor(component: PrimitiveComponent) {
    const { geometry, skin, morph } = component;
    const { data, vertexFormat, vertexCount } = geometry;
    this.#stride = vertexStride(vertexFormat) / 4;
    this.#count = vertexCount;
    this.#floats = new Float32Array(data, 0, vertexCount * this.#stride);
    this.#halves = new Uint16Array(data);
    this.#jointsAt = vertexAttributeOffset(vertexFormat, VertexFormat.joints) / 2;
    this.#isSkinned = skin !== null && (vertexFormat & VertexFormat.joints) !== 0;
    this.rows = skin && this.#isSkinned ? skin.palette() : rowsOf(component);
    const targets = morph && geometry.morph;
    this.#weights = targets ? morph.shown : [];
    this.#moves = targets ? new Float32Array(targets.deltas) : new Float32Array(0);
    this.#moveFloats = targets?.size ?? 0;
  }

  /** Returns the position of a vertex. The array is reused. */
  place(vertex: number): Triple {
    const { rows } = this;
    const place = this.#place;
    const floats = this.#floats;
    const at = vertex * this.#stride;
    for (let axis = 0; axis < 3; axis++) place[axis] = floats[at + axis] as number;
    for (let target = 0; target < this.#weights.length; target++) {
      const weight = this.#weights[target] as number;
      if (weight === 0) continue;
      const from = (target * this.#count + vertex) * this.#moveFloats;
      for (let axis = 0; axis < 3; axis++)
        place[axis] = (place[axis] as number) + weight * (this.#moves[from + axis] as number);
    }
    const x = place[0];
    const y = place[1];
    const z = place[2];
    const joints = at * 2 + this.#jointsAt;
    const weights = joints / 2 + 2;
    for (let row = 0; row < 3; row++) {
      let sum = 0;
      for (let influence = 0; influence < (this.#isSkinned ? JOINTS_PER_VERTEX : 1); influence++) {
        const joint = this.#isSkinned ? (this.#halves[joints + influence] as number) : 0;
        const weight = this.#isSkinned ? (floats[weights + influence] as number) : 1;
        const from = joint * ROWS + row * 4;
        const rotated =
          (rows[from] as number) * x + (rows[from + 1] as number) * y + (rows[from + 2] as number) * z;
        sum += weight * (rotated + (rows[from + 3] as number));
      }
      place[row] = sum;
    }
    return place;
  }
}

/** Returns the triangles of a mesh after morphing and skinning, in world space; null if the mesh has none. */
export function deformedTriangles(component: PrimitiveComponent): DeformedTriangles | null {
  const rest = trianglesOf(component.geometry);
  if (!rest) return null;
  const { corners, stride } = rest;
  // World positions need 64 bits.
  const floats = new Float64Array(rest.floats);
  const placer = new VertexPlacer(component);
  for (let vertex = 0; vertex * stride < floats.length; vertex++) {
    const place = placer.place(vertex);
    for (let axis = 0; axis < 3; axis++) floats[vertex * stride + axis] = place[axis] as number;
  }
  return { source: { corners, floats, stride }, isMirrored: isMirrored(placer.rows) };
}

/** Returns three rows of the world-from-mesh matrix. */
function rowsOf(component: PrimitiveComponent): Float64Array {
  const m = component.worldFromLocal([]);
  return Float64Array.from(
    { length: ROWS },
    (_, index) => m[(index % 4) * 4 + Math.floor(index / 4)] as number,
  );
}

/**
 * Returns whether the first three rows mirror. These rows decide for all joints, because a skin mirrors as a whole or
 * not at all.
 */
function isMirrored(m: Float64Array): boolean {
  const at = (index: number): number => m[index] as number;
  return (
    at(0) * (at(5) * at(10) - at(6) * at(9)) -
      at(1) * (at(4) * at(10) - at(6) * at(8)) +
      at(2) * (at(4) * at(9) - at(5) * at(8)) <
    0
  );
}

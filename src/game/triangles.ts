/** The triangles of a geometry, and whether a ray meets one of them or a box. */
import type { GeometryDescription } from '../proxy/scene-description.js';
import { vertexStride } from '../proxy/vertex-format.js';

/** Where a ray meets a triangle: `origin` + `distance` × `direction`, and the weights of its second and third corner. */
export interface TriangleHit {
  distance: number;
  triangle: number;
  second: number;
  third: number;
}

/** Vertices of triangles, in corners: three per triangle. */
export interface TriangleSource {
  /** Indices of vertices. */
  readonly corners: Uint32Array;
  /** `stride` floats per vertex, of which the first three are its position. */
  readonly floats: Float32Array;
  readonly stride: number;
}

/** Null: the geometry has no triangles. */
export function trianglesOf(geometry: GeometryDescription): TriangleSource | null {
  const { topology, data, vertexFormat, vertexCount, indexCount } = geometry;
  const isStrip = topology === 'triangle-strip';
  if (!isStrip && topology !== 'triangle-list') return null;
  const stride = vertexStride(vertexFormat) / 4;
  const indices =
    indexCount > 0
      ? new Uint32Array(data, vertexCount * stride * 4, indexCount)
      : Uint32Array.from({ length: vertexCount }, (_, vertex) => vertex);
  const floats = new Float32Array(data, 0, vertexCount * stride);
  if (!isStrip) return { corners: indices, floats, stride };
  const count = Math.max(indices.length - 2, 0);
  const corners = new Uint32Array(count * 3);
  for (let triangle = 0; triangle < count; triangle++) {
    // Every second one is turned around, so that all wind the same way.
    const odd = triangle & 1;
    for (let corner = 0; corner < 3; corner++) {
      const step = corner === 0 ? 0 : corner === 1 ? 1 + odd : 2 - odd;
      corners[triangle * 3 + corner] = indices[triangle + step] as number;
    }
  }
  return { corners, floats, stride };
}

/** @param at of the least corner, which the largest follows @param limit in multiples of `direction` */
export function meetsBox(
  boxes: ArrayLike<number>,
  at: number,
  origin: ArrayLike<number>,
  direction: ArrayLike<number>,
  limit: number,
): boolean {
  let near = 0;
  let far = limit;
  for (let axis = 0; axis < 3; axis++) {
    const from = origin[axis] as number;
    const step = direction[axis] as number;
    const low = (boxes[at + axis] as number) - from;
    const high = (boxes[at + 3 + axis] as number) - from;
    if (step === 0) {
      if (low > 0 || high < 0) return false;
      continue;
    }
    near = Math.max(near, Math.min(low / step, high / step));
    far = Math.min(far, Math.max(low / step, high / step));
  }
  // What a side of the box is in is met, however both are rounded.
  return near <= far + 1e-9 * (1 + far);
}

/**
 * Möller and Trumbore 1997. Of two that are met at the same distance, the first one counts, whichever is looked at first.
 * @param side 1: the front, which is counter-clockwise, is met; −1: the back; 0: both
 */
export function meetsTriangle(
  { corners, floats, stride }: TriangleSource,
  triangle: number,
  origin: ArrayLike<number>,
  direction: ArrayLike<number>,
  side: number,
  hit: TriangleHit,
): boolean {
  const a = (corners[triangle * 3] as number) * stride;
  const b = (corners[triangle * 3 + 1] as number) * stride;
  const c = (corners[triangle * 3 + 2] as number) * stride;
  const at = (from: number, axis: number): number =>
    (floats[from + axis] as number) - (floats[a + axis] as number);
  const [bx, by, bz] = [at(b, 0), at(b, 1), at(b, 2)];
  const [cx, cy, cz] = [at(c, 0), at(c, 1), at(c, 2)];
  const [dx, dy, dz] = [direction[0] as number, direction[1] as number, direction[2] as number];
  const px = dy * cz - dz * cy;
  const py = dz * cx - dx * cz;
  const pz = dx * cy - dy * cx;
  const determinant = bx * px + by * py + bz * pz;
  if (determinant === 0 || determinant * side < 0) return false;
  const ox = (origin[0] as number) - (floats[a] as number);
  const oy = (origin[1] as number) - (floats[a + 1] as number);
  const oz = (origin[2] as number) - (floats[a + 2] as number);
  const second = (ox * px + oy * py + oz * pz) / determinant;
  if (!(second >= 0 && second <= 1)) return false;
  const qx = oy * bz - oz * by;
  const qy = oz * bx - ox * bz;
  const qz = ox * by - oy * bx;
  const third = (dx * qx + dy * qy + dz * qz) / determinant;
  if (!(third >= 0 && second + third <= 1)) return false;
  const distance = (cx * qx + cy * qy + cz * qz) / determinant;
  const isNearer = distance < hit.distance || (distance === hit.distance && triangle < hit.triangle);
  if (!(distance >= 0 && isNearer)) return false;
  hit.distance = distance;
  hit.triangle = triangle;
  hit.second = second;
  hit.third = third;
  return true;
}

/**
 * The nearest of all triangles that the ray meets before `hit.distance`, written to `hit`: what `TriangleTree.intersect` finds,
 * by looking at each.
 * @returns whether there is one
 */
export function meetsAny(
  source: TriangleSource,
  origin: ArrayLike<number>,
  direction: ArrayLike<number>,
  side: number,
  hit: TriangleHit,
): boolean {
  let isHit = false;
  for (let triangle = 0; triangle * 3 + 2 < source.corners.length; triangle++) {
    if (meetsTriangle(source, triangle, origin, direction, side, hit)) isHit = true;
  }
  return isHit;
}

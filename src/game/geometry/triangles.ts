/** Triangles of a geometry, and intersections of rays with triangles and boxes. */

import { vertexStride } from '../../proxy/geometry/vertex-format.js';
import type { GeometryDescription } from '../../proxy/scene-description.js';
import type { Numbers } from '../../proxy/transform-array.js';

/**
 * A hit of a ray with a triangle, at `origin` + `distance` × `direction`. `second` and `third` are the barycentric
 * weights of the triangle's second and third corner.
 */
export interface TriangleHit {
  distance: number;
  triangle: number;
  second: number;
  third: number;
}

/** Triangles as a list of corners, three per triangle. */
export interface TriangleSource {
  /** Indices of vertices. */
  readonly corners: Uint32Array;
  /** `stride` numbers per vertex; the first three are its position. */
  readonly floats: Numbers;
  readonly stride: number;
}

/** Returns the triangles of a geometry; null if its topology has none. */
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
    // Every second triangle is reversed, so that all have the same winding.
    const odd = triangle & 1;
    for (let corner = 0; corner < 3; corner++) {
      const step = corner === 0 ? 0 : corner === 1 ? 1 + odd : 2 - odd;
      corners[triangle * 3 + corner] = indices[triangle + step] as number;
    }
  }
  return { corners, floats, stride };
}

/**
 * Returns whether a ray hits a box.
 * @param at index of the minimum corner, which the maximum corner follows
 * @param limit length of the ray, in multiples of `direction`
 */
export function hitsBox(
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
  // The tolerance lets a ray that lies in a side of the box hit it in spite of rounding.
  return near <= far + 1e-9 * (1 + far);
}

/**
 * A ray prepared for tests against triangles. The axes are permuted so that the ray runs mostly along z. Then they are
 * sheared so that the ray is the z axis. A corner shared by triangles thus has the same coordinates in every test.
 */
export class ShearedRay {
  readonly origin: ArrayLike<number>;
  /** Indices of axes. `z` is the axis of the direction's largest component. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly shearX: number;
  readonly shearY: number;
  readonly shearZ: number;

  constructor(origin: ArrayLike<number>, direction: ArrayLike<number>) {
    const along = (axis: number): number => direction[axis] as number;
    const [a, b, c] = [Math.abs(along(0)), Math.abs(along(1)), Math.abs(along(2))];
    const z = a > b && a > c ? 0 : b > c ? 1 : 2;
    // x and y are swapped if the ray runs towards −z, so that triangles keep their winding.
    const swap = along(z) < 0 ? 1 : 0;
    this.origin = origin;
    this.x = (z + 1 + swap) % 3;
    this.y = (z + 2 - swap) % 3;
    this.z = z;
    this.shearX = along(this.x) / along(z);
    this.shearY = along(this.y) / along(z);
    this.shearZ = 1 / along(z);
  }
}

/**
 * Tests one triangle by Woop, Benthin and Wald 2013, "Watertight Ray/Triangle Intersection". No ray passes between
 * triangles that share an edge or a corner. The sign of an edge is the sign of a difference of two products.
 * Rounding can turn the difference into 0, but not change its sign, and 0 counts as inside. If two triangles are at the
 * same distance, the triangle with the lower index wins, in any order of tests.
 * @param side 1 hits only the front, which is counter-clockwise; −1 hits only the back; 0 hits both
 */
export function hitsTriangle(
  { corners, floats, stride }: TriangleSource,
  triangle: number,
  ray: ShearedRay,
  side: number,
  hit: TriangleHit,
): boolean {
  const { origin, x, y, z, shearX, shearY, shearZ } = ray;
  const a = (corners[triangle * 3] as number) * stride;
  const b = (corners[triangle * 3 + 1] as number) * stride;
  const c = (corners[triangle * 3 + 2] as number) * stride;
  const [ox, oy, oz] = [origin[x] as number, origin[y] as number, origin[z] as number];
  const az = (floats[a + z] as number) - oz;
  const bz = (floats[b + z] as number) - oz;
  const cz = (floats[c + z] as number) - oz;
  const ax = (floats[a + x] as number) - ox - shearX * az;
  const ay = (floats[a + y] as number) - oy - shearY * az;
  const bx = (floats[b + x] as number) - ox - shearX * bz;
  const by = (floats[b + y] as number) - oy - shearY * bz;
  const cx = (floats[c + x] as number) - ox - shearX * cz;
  const cy = (floats[c + y] as number) - oy - shearY * cz;
  // Twice the areas of the triangles that the ray's point forms with the edges opposite a, b and c.
  const first = cx * by - cy * bx;
  const second = ax * cy - ay * cx;
  const third = bx * ay - by * ax;
  const isFront = first >= 0 && second >= 0 && third >= 0;
  const isBack = first <= 0 && second <= 0 && third <= 0;
  if (!(side === 0 ? isFront || isBack : side > 0 ? isFront : isBack)) return false;
  const area = first + second + third;
  if (area === 0) return false;
  const distance = (shearZ * (first * az + second * bz + third * cz)) / area;
  const isNearer = distance < hit.distance || (distance === hit.distance && triangle < hit.triangle);
  if (!(distance >= 0 && isNearer)) return false;
  hit.distance = distance;
  hit.triangle = triangle;
  hit.second = second / area;
  hit.third = third / area;
  return true;
}

/**
 * Finds the nearest triangle before `hit.distance` and writes it to `hit`. At exactly that distance, only a triangle
 * with an index below `hit.triangle` counts. Tests every triangle, with the same result as `TriangleTree.intersect`.
 * @returns whether a triangle was found
 */
export function findNearestHit(
  source: TriangleSource,
  origin: ArrayLike<number>,
  direction: ArrayLike<number>,
  side: number,
  hit: TriangleHit,
): boolean {
  const ray = new ShearedRay(origin, direction);
  let isHit = false;
  for (let triangle = 0; triangle * 3 + 2 < source.corners.length; triangle++) {
    if (hitsTriangle(source, triangle, ray, side, hit)) isHit = true;
  }
  return isHit;
}

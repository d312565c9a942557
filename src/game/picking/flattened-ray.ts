/**
 * Rays through meshes whose transform flattens them (a scale of 0). The matrix of such a mesh has no inverse, but a
 * ray crosses the mesh's plane in one point. All points of the mesh's space that the matrix maps to that point lie
 * on a line:
 *
 *   world   ray ──────●────► plane          mesh   ──▲──▲──▲── the line crosses triangles, all of which appear at ●
 *                     distance                       line
 */
import { cross, dot, type Triple, tripleAt } from '../transforms/triples.js';

/**
 * A matrix counts as flat if its determinant is below this fraction of the product of its columns' lengths.
 */
const FLAT = 1e-10;

interface FlattenedRay {
  /** Distance at which the ray crosses the plane, in lengths of the ray's direction. */
  readonly distance: number;
  /** Origin of the line in the mesh's space, outside of the mesh's box. */
  readonly origin: Triple;
  /** Direction of the line. Its sign makes the line meet the same sides of triangles as the ray. */
  readonly direction: Triple;
}

/** Returns whether the first three columns of a column-major matrix lie in a plane. */
export function isFlat(m: readonly number[]): boolean {
  const [a, b, c] = columnsOf(m);
  return Math.abs(dot(a, cross(b, c))) <= FLAT * Math.hypot(...a) * Math.hypot(...b) * Math.hypot(...c);
}

/**
 * Returns the line through the mesh for a ray. It is null if the ray is parallel to the plane, or if the matrix
 * flattens to a line or a point.
 * @param m a flat column-major matrix
 * @param minimum minimum corner of the mesh's box
 * @param maximum maximum corner of the box
 */
export function flattenedRay(
  m: readonly number[],
  minimum: ArrayLike<number>,
  maximum: ArrayLike<number>,
  origin: Triple,
  direction: Triple,
): FlattenedRay | null {
  const columns = columnsOf(m);
  // Column `other` is left out: the two remaining columns span the plane best.
  const normals = [0, 1, 2].map((axis) =>
    cross(columns[(axis + 1) % 3] as Triple, columns[(axis + 2) % 3] as Triple),
  ) as [Triple, Triple, Triple];
  const areas = normals.map((normal) => dot(normal, normal));
  const other = areas.indexOf(Math.max(...areas));
  const normal = normals[other] as Triple;
  const area = areas[other] as number;
  const slope = dot(normal, direction);
  if (area === 0 || slope === 0) return null;
  const toPlane = tripleAt(m, 12).map((value, axis) => value - (origin[axis] as number)) as Triple;
  const distance = dot(normal, toPlane) / slope;
  const inPlane = toPlane.map((value, axis) => (direction[axis] as number) * distance - value) as Triple;
  const place: Triple = [0, 0, 0];
  const [first, second] = [(other + 1) % 3, (other + 2) % 3] as const;
  place[first] = dot(cross(inPlane, columns[second] as Triple), normal) / area;
  place[second] = dot(cross(columns[first] as Triple, inPlane), normal) / area;
  // The adjugate of the matrix maps normals of the world to normals of the mesh.
  const along = normals.map((row) => dot(row, direction)) as Triple;
  const size = Math.max(...along.map(Math.abs));
  const line = along.map((value) => value / size) as Triple;
  let reach = 0;
  for (let axis = 0; axis < 3; axis++) {
    const at = place[axis] as number;
    reach += Math.max(Math.abs((minimum[axis] as number) - at), Math.abs((maximum[axis] as number) - at));
  }
  return {
    distance,
    origin: place.map((value, axis) => value - (line[axis] as number) * (1 + reach * 2)) as Triple,
    direction: line,
  };
}

const columnsOf = (m: readonly number[]): [Triple, Triple, Triple] => [
  tripleAt(m, 0),
  tripleAt(m, 4),
  tripleAt(m, 8),
];

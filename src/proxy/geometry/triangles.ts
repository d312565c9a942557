/**
 * Prepares triangles without normals for flat shading. Each triangle gets three vertices of its own. All three get the
 * triangle's normal.
 *
 *   strip 0 1 2 3 ─► list 0 1 2 │ 1 3 2 ─► interleave, one vertex per corner ─► a normal per triangle, three times
 */
import type { GeometryDescription } from '../scene-description.js';
import { vertexStride } from './vertex-format.js';

/**
 * Returns the triangles of a strip as a list. Every second triangle is turned around, so that all have the same
 * winding.
 *
 * @param indices default: the vertices in their order
 */
export function stripTriangles(indices: ArrayLike<number> | undefined, vertexCount: number): number[] {
  const count = indices?.length ?? vertexCount;
  const at = (index: number): number => (indices ? (indices[index] as number) : index);
  const list: number[] = [];
  for (let index = 0; index + 2 < count; index++) {
    const odd = index & 1;
    list.push(at(index), at(index + 1 + odd), at(index + 2 - odd));
  }
  return list;
}

/** Writes the normal of each triangle to its three vertices; triangles are counter-clockwise seen from outside. */
export function writeFlatNormals({ data, vertexFormat, vertexCount }: GeometryDescription): void {
  const floats = new Float32Array(data);
  const stride = vertexStride(vertexFormat) / 4;
  const at = (vertex: number, index: number): number => floats[vertex * stride + index] as number;
  for (let vertex = 0; vertex < vertexCount; vertex += 3) {
    const ax = at(vertex + 1, 0) - at(vertex, 0);
    const ay = at(vertex + 1, 1) - at(vertex, 1);
    const az = at(vertex + 1, 2) - at(vertex, 2);
    const bx = at(vertex + 2, 0) - at(vertex, 0);
    const by = at(vertex + 2, 1) - at(vertex, 1);
    const bz = at(vertex + 2, 2) - at(vertex, 2);
    const x = ay * bz - az * by;
    const y = az * bx - ax * bz;
    const z = ax * by - ay * bx;
    const length = Math.hypot(x, y, z);
    // A triangle without area is invisible, so any unit normal will do.
    const normal = length > 0 ? [x / length, y / length, z / length] : [0, 1, 0];
    for (let corner = 0; corner < 3; corner++) floats.set(normal, (vertex + corner) * stride + 3);
  }
}

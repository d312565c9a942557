/**
 * Interleaves vertex attributes in the layout of `vertex-format.ts`, appends the indices in the same buffer, and
 * computes the box around the positions. Callers pass numbers that they have checked or computed.
 *
 *   positions ─┐
 *   normals  ──┼─► │ p n uv … │ p n uv … │ … │ indices │
 *   uvs      ──┘
 */
import type { Topology } from '../commands.js';
import type { GeometryDescription } from '../scene-description.js';
import { vertexStride } from './vertex-format.js';

/** Numbers of an attribute, their count per vertex, and their byte offset in a vertex. */
export type Attribute = readonly [values: ArrayLike<number>, size: number, byteOffset: number];

/**
 * Returns a geometry with interleaved vertices.
 * @param attributes all attributes; the positions come first
 * @param corners index of the source vertex of each vertex of the result; default: 0, 1, 2 …
 */
export function interleave(
  label: string,
  topology: Topology,
  vertexFormat: number,
  attributes: readonly Attribute[],
  indices?: ArrayLike<number>,
  corners?: ArrayLike<number>,
): GeometryDescription {
  const positions = attributes[0]?.[0] ?? [];
  const vertexCount = corners?.length ?? positions.length / 3;
  const indexCount = indices?.length ?? 0;
  const stride = vertexStride(vertexFormat) / 4;
  const data = new ArrayBuffer((vertexCount * stride + indexCount) * 4);
  const floats = new Float32Array(data);
  for (const [values, size, byteOffset] of attributes) {
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      const from = (corners ? (corners[vertex] as number) : vertex) * size;
      const to = vertex * stride + byteOffset / 4;
      for (let index = 0; index < size; index++) floats[to + index] = values[from + index] as number;
    }
  }
  if (indices) new Uint32Array(data, vertexCount * stride * 4).set(indices);
  const minimum: [number, number, number] = [Infinity, Infinity, Infinity];
  const maximum: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let index = 0; index < positions.length; index++) {
    const axis = (index % 3) as 0 | 1 | 2;
    const value = Math.fround(positions[index] as number);
    minimum[axis] = Math.min(minimum[axis], value);
    maximum[axis] = Math.max(maximum[axis], value);
  }
  // An empty list of indices draws nothing. Without a list the vertices are drawn in their order.
  const drawnCount = indices?.length === 0 ? 0 : vertexCount;
  return { label, vertexFormat, topology, vertexCount: drawnCount, indexCount, data, minimum, maximum };
}

/** Returns RGB colours as RGBA with an alpha of 1. */
export function withAlpha(colors: ArrayLike<number>): Float32Array {
  const result = new Float32Array((colors.length / 3) * 4).fill(1);
  for (let index = 0; index < colors.length; index++) {
    result[Math.floor(index / 3) * 4 + (index % 3)] = colors[index] as number;
  }
  return result;
}

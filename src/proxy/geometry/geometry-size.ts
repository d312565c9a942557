/**
 * How large a geometry will be, known before any of it is allocated: from counts alone. Without normals each
 * triangle gets three vertices of its own (`triangles.ts`), and no indices are left.
 *
 *   with normals     │ vertexCount vertices │ indexCount × 4 bytes │
 *   flat triangles   │ a vertex per corner                         │
 */
import type { Topology } from '../commands.js';
import { vertexStride } from './vertex-format.js';

/**
 * Bytes of vertices and indices that one geometry may have: 1 GiB, about 33 million vertices. Browsers hand no
 * ArrayBuffer of 2 GiB to another thread, and few GPUs take a buffer that large.
 */
export const MAXIMUM_GEOMETRY_BYTES = 2 ** 30;

export interface GeometryCounts {
  readonly topology: Topology;
  /** Bits of `VertexFormat`. */
  readonly vertexFormat: number;
  readonly vertexCount: number;
  /** Undefined where the vertices are drawn one after the other. */
  readonly indexCount: number | undefined;
  readonly hasNormals: boolean;
}

/** Bytes of the buffer that `interleave` makes of it. */
export function geometryBytes(counts: GeometryCounts): number {
  const { topology, vertexFormat, vertexCount, indexCount, hasNormals } = counts;
  const stride = vertexStride(vertexFormat);
  if (hasNormals || !topology.startsWith('triangle')) return vertexCount * stride + (indexCount ?? 0) * 4;
  const drawn = indexCount ?? vertexCount;
  const corners = topology === 'triangle-strip' ? Math.max(0, drawn - 2) * 3 : drawn - (drawn % 3);
  return corners * stride;
}

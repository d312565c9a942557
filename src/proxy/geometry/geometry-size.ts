/**
 * The size of a geometry, computed from its counts before memory is allocated. Without normals each triangle gets three
 * vertices of its own (`triangles.ts`) and no indices.
 *
 *   with normals     │ vertexCount vertices │ indexCount × 4 bytes │
 *   flat triangles   │ a vertex per corner                         │
 */
import type { Topology } from '../commands.js';
import { vertexStride } from './vertex-format.js';

/**
 * Limit of the vertices and indices of one geometry, in bytes: 1 GiB, about 33 million vertices. Browsers pass no
 * ArrayBuffer of 2 GiB to another thread, and few GPUs accept a buffer that large.
 */
export const MAXIMUM_GEOMETRY_BYTES = 2 ** 30;

export interface GeometryCounts {
  readonly topology: Topology;
  /** Bits of `VertexFormat`. */
  readonly vertexFormat: number;
  readonly vertexCount: number;
  /** `undefined` for a geometry without indices. */
  readonly indexCount: number | undefined;
  readonly hasNormals: boolean;
}

/** Returns the size of a geometry's buffer, in bytes. */
export function geometryBytes(counts: GeometryCounts): number {
  const { topology, vertexFormat, vertexCount, indexCount, hasNormals } = counts;
  const stride = vertexStride(vertexFormat);
  if (hasNormals || !topology.startsWith('triangle')) return vertexCount * stride + (indexCount ?? 0) * 4;
  const drawn = indexCount ?? vertexCount;
  const corners = topology === 'triangle-strip' ? Math.max(0, drawn - 2) * 3 : drawn - (drawn % 3);
  return corners * stride;
}

/**
 * Geometry with one normal per triangle, which needs a vertex per corner. If vertices have to be split, the page's own
 * vertices (`given`) are kept beside the drawn ones. Each change computes the drawn vertices and normals again.
 *
 *   given: vertices and indices ─► one vertex per corner ─► a normal per triangle
 */

import { stripTriangles, writeFlatNormals } from '../../proxy/geometry/triangles.js';
import { vertexStride } from '../../proxy/geometry/vertex-format.js';
import type { GeometryDescription } from '../../proxy/scene-description.js';
import { Geometry } from './updatable-geometry.js';

/** Returns a geometry with flat normals. @param given triangles without normals */
export function flatGeometry(given: GeometryDescription): Geometry {
  const stride = vertexStride(given.vertexFormat) / 4;
  // Without indices, each vertex is drawn once. For an empty list of indices, `vertexCount` is 0.
  const isOneForOne = given.indexCount === 0 && given.vertexCount > 0 && given.topology === 'triangle-list';
  const vertexCount = isOneForOne ? given.vertexCount : cornersOf(given).length;
  const geometry = new Geometry({
    ...given,
    topology: 'triangle-list',
    vertexCount,
    indexCount: 0,
    data: isOneForOne ? given.data : new ArrayBuffer(vertexCount * stride * 4),
  });
  if (isOneForOne) geometry.writeFlat = writeFlatNormals;
  else {
    geometry.given = given;
    geometry.writeFlat = writeCorners;
  }
  geometry.writeFlat(geometry);
  return geometry;
}

/** Returns the index of the given vertex for each drawn vertex. */
function cornersOf({ topology, data, vertexCount, indexCount }: GeometryDescription): ArrayLike<number> {
  const indices = indexCount > 0 ? new Uint32Array(data, data.byteLength - indexCount * 4) : undefined;
  return topology === 'triangle-strip' ? stripTriangles(indices, vertexCount) : (indices ?? []);
}

function writeCorners(geometry: Geometry): void {
  const given = geometry.given as GeometryDescription;
  const stride = vertexStride(given.vertexFormat) / 4;
  const from = new Float32Array(given.data);
  const to = new Float32Array(geometry.data);
  const corners = cornersOf(given);
  for (let corner = 0; corner < corners.length; corner++) {
    const vertex = corners[corner] as number;
    for (let index = 0; index < stride; index++) {
      to[corner * stride + index] = from[vertex * stride + index] as number;
    }
  }
  writeFlatNormals(geometry);
}

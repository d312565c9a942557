import { VertexFormat } from '../../proxy/geometry/vertex-format.js';
import type { VertexPolicy } from '../geometry/vertex-policy.js';
import { deformedCode } from './deformed-code.js';
import type { Deformers } from './deformers.js';

/** Vertex policy for vertices that joints move. Morph targets are applied first, if the mesh has any. */
export const skinnedVertices = (deformers: Deformers): VertexPolicy => ({
  number: 1,
  name: 'Bent',
  ...deformedCode,
  places: (primitive, vertexFormat) => deformers.has(primitive) && (vertexFormat & VertexFormat.joints) !== 0,
});

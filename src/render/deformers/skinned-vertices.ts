import { VertexFormat } from '../../proxy/geometry/vertex-format.js';
import type { VertexPolicy } from '../geometry/vertex-policy.js';
import { deformedCode } from './deformed-code.js';
import type { Deformers } from './deformers.js';

/** Vertices with joints, which go by the mean of these; morph targets come first, where the mesh has some. */
export const skinnedVertices = (deformers: Deformers): VertexPolicy => ({
  number: 1,
  name: 'Bent',
  ...deformedCode,
  places: (primitive, vertexFormat) => deformers.has(primitive) && (vertexFormat & VertexFormat.joints) !== 0,
});

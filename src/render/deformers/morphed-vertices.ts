import { VertexFormat } from '../../proxy/geometry/vertex-format.js';
import type { VertexPolicy } from '../geometry/vertex-policy.js';
import { deformedCode } from './deformed-code.js';
import type { Deformers } from './deformers.js';

/** Vertex policy for vertices that morph targets move and joints do not. */
export const morphedVertices = (deformers: Deformers): VertexPolicy => ({
  number: 2,
  name: 'Morphed',
  ...deformedCode,
  places: (primitive, vertexFormat) => deformers.has(primitive) && (vertexFormat & VertexFormat.joints) === 0,
});

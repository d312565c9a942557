import code from '../../../shaders/mesh-facing.wgsl?raw';
import pickCode from '../../../shaders/mesh-pick-facing.wgsl?raw';
import { FACING_VERTICES, type VertexPolicy } from '../vertex-policy.js';

/** Vertices of lines, points and sprites, which are placed on the screen. They cast no shadows. */
export const facingVertices: VertexPolicy = {
  number: FACING_VERTICES,
  name: 'Facing',
  label: ', facing',
  code,
  pickCode,
  places: (_primitive, _vertexFormat, topology) => topology === 'facing',
};

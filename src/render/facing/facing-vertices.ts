import code from '../../../shaders/mesh-facing.wgsl?raw';
import pickCode from '../../../shaders/mesh-pick-facing.wgsl?raw';
import type { VertexPolicy } from '../vertex-policy.js';

/** Vertices of lines, points and sprites, which are placed on the screen. They cast no shadows. */
export const facingVertices: VertexPolicy = {
  number: 3,
  name: 'Facing',
  label: ', facing',
  code,
  pickCode,
  casterCode: '',
  places: (_primitive, _vertexFormat, topology) => topology === 'facing',
};

import code from '../../../shaders/mesh-facing.wgsl?raw';
import pickCode from '../../../shaders/mesh-pick-facing.wgsl?raw';
import { facingReach } from '../../proxy/facing-reach.js';
import { FACING_VERTICES, type VertexPolicy } from '../vertex-policy.js';

/** Vertices of lines, points and sprites, which are placed on the screen. They cast no shadows. */
export const facingVertices: VertexPolicy = {
  number: FACING_VERTICES,
  name: 'Facing',
  label: ', facing',
  code,
  pickCode,
  places: (_primitive, _vertexFormat, topology) => topology === 'facing',
  reach: (world, matrix, box, from) =>
    facingReach(world, matrix, 4, 1, Math.min(...box.subarray(from + 3, from + 6))),
};

import code from '../../../shaders/mesh-facing.wgsl?raw';
import pickCode from '../../../shaders/mesh-pick-facing.wgsl?raw';
import { facingReach } from '../../proxy/facing-reach.js';
import { FACING_VERTICES, type VertexPolicy } from '../vertex-policy.js';

/** Index of `facing` in `DRAWN_TOPOLOGIES`, as `widths.test.ts` checks: by its import, this part would carry all commands. */
export const FACING_TOPOLOGY = 5;

/** Vertices of lines, points and sprites, which are placed on the screen. They cast no shadows. */
export const facingVertices: VertexPolicy = {
  number: FACING_VERTICES,
  name: 'Facing',
  label: ', facing',
  code,
  pickCode,
  places: (_primitive, _vertexFormat, topology) => topology === 'facing',
  reach({ topology, bounds }, geometry, world, matrix) {
    if (topology[geometry] !== FACING_TOPOLOGY) return 0;
    const at = geometry * 6;
    return facingReach(world, matrix, 4, 1, Math.min(...bounds.subarray(at + 3, at + 6)));
  },
};

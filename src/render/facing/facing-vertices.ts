import code from '../../../shaders/mesh-facing.wgsl?raw';
import pickCode from '../../../shaders/mesh-pick-facing.wgsl?raw';
import { DRAWN_TOPOLOGIES, type DrawnTopology } from '../../proxy/commands.js';
import { facingReach } from '../../proxy/facing-reach.js';
import type { GeometryStore } from '../geometry-store.js';
import { FACING_VERTICES, type VertexPolicy } from '../vertex-policy.js';

export const FACING_TOPOLOGY = DRAWN_TOPOLOGIES.indexOf('facing');

/** Vertices of lines, points and sprites, which are placed on the screen. They cast no shadows. */
export const facingVertices = {
  number: FACING_VERTICES,
  name: 'Facing',
  label: ', facing',
  code,
  pickCode,
  places: (_primitive: number, _vertexFormat: number, topology: DrawnTopology | undefined) =>
    topology === 'facing',
  reach({ topology, bounds }: GeometryStore, geometry: number, world: Float64Array, matrix: number): number {
    if (topology[geometry] !== FACING_TOPOLOGY) return 0;
    const at = geometry * 6;
    return facingReach(world, matrix, 4, 1, Math.min(...bounds.subarray(at + 3, at + 6)));
  },
} as const satisfies VertexPolicy;

import code from '../../../shaders/mesh-billboards.wgsl?raw';
import pickCode from '../../../shaders/mesh-pick-billboards.wgsl?raw';
import { DRAWN_TOPOLOGIES, type DrawnTopology } from '../../proxy/commands.js';
import { billboardReach } from '../../proxy/geometry/billboard-reach.js';
import type { GeometryStore } from './geometry-store.js';
import { BILLBOARD_VERTICES, type VertexPolicy } from './vertex-policy.js';

export const BILLBOARD_TOPOLOGY = DRAWN_TOPOLOGIES.indexOf('billboards');

/**
 * Vertex policy of lines, points and sprites, whose vertices are placed on the screen. They cast no shadows.
 */
export const billboardVertices = {
  number: BILLBOARD_VERTICES,
  name: 'Billboard',
  label: ', billboards',
  code,
  pickCode,
  places: (_primitive: number, _vertexFormat: number, topology: DrawnTopology | undefined) =>
    topology === 'billboards',
  reach({ topology, bounds }: GeometryStore, geometry: number, world: Float64Array, matrix: number): number {
    if (topology[geometry] !== BILLBOARD_TOPOLOGY) return 0;
    const at = geometry * 6;
    return billboardReach(world, matrix, 4, 1, Math.min(...bounds.subarray(at + 3, at + 6)));
  },
} as const satisfies VertexPolicy;

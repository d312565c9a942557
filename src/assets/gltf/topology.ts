/**
 * Converts the primitive modes of glTF to topologies of WebGPU. A loop becomes a strip that repeats its first vertex. A
 * fan becomes triangles. `corners` are vertex numbers in drawing order, or null for 0, 1, 2 ….
 *
 *   mode   0 points  1 lines  2 line loop  3 line strip  4 triangles  5 triangle strip  6 triangle fan
 */
import type { Topology } from '../../proxy/commands.js';
import { stripTriangles } from '../../proxy/geometry/triangles.js';

interface Corners {
  readonly topology: Topology;
  readonly corners: Uint32Array | null;
}

export const TOPOLOGY_OF_MODE: readonly Topology[] = [
  'point-list',
  'line-list',
  'line-strip',
  'line-strip',
  'triangle-list',
  'triangle-strip',
  'triangle-list',
];

export function convertMode(mode: number, indices: Uint32Array | null, vertexCount: number): Corners {
  const topology = TOPOLOGY_OF_MODE[mode] ?? 'triangle-list';
  if (mode === 2) return { topology, corners: closeLoop(indices ?? countUp(vertexCount)) };
  if (mode === 6) return { topology, corners: fanTriangles(indices ?? countUp(vertexCount)) };
  return { topology, corners: indices };
}

/** Returns the corners of separate triangles, three each. Incomplete triangles are dropped. */
export function triangleCorners({ topology, corners }: Corners, vertexCount: number): ArrayLike<number> {
  const order = corners ?? countUp(vertexCount);
  return topology === 'triangle-strip'
    ? stripTriangles(order, vertexCount)
    : order.slice(0, order.length - (order.length % 3));
}

function countUp(count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

function closeLoop(loop: Uint32Array): Uint32Array {
  const closed = new Uint32Array(loop.length + 1);
  closed.set(loop);
  closed[loop.length] = loop[0] ?? 0;
  return closed;
}

/** Returns the triangles of a fan. Triangle i is (i+1, i+2, 0), as in glTF 2.0 §3.7.2.1. */
function fanTriangles(fan: Uint32Array): Uint32Array {
  const count = Math.max(0, fan.length - 2);
  const triangles = new Uint32Array(count * 3);
  for (let i = 0; i < count; i++) {
    triangles[i * 3] = fan[i + 1] ?? 0;
    triangles[i * 3 + 1] = fan[i + 2] ?? 0;
    triangles[i * 3 + 2] = fan[0] ?? 0;
  }
  return triangles;
}

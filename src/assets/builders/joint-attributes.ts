/**
 * Reads the joints of vertices: up to four per vertex, with weights that add up to 1. If a vertex has more joints, the
 * four strongest joints are kept.
 *
 *   JOINTS_n, WEIGHTS_n ─► influences ─► 4 joints, 4 weights per vertex ─► into the interleaved vertices
 *                                     └─► per joint: the box of the vertices that it moves
 */
import type { Primitive } from '@gltf-transform/core';
import { VertexFormat, vertexAttributeOffset, vertexStride } from '../../proxy/geometry/vertex-format.js';
import type { GeometryDescription } from '../../proxy/scene-description.js';
import { accessorFloats, checkElementCount } from './accessor-floats.js';

const PER_VERTEX = 4;
const BOX = 6;

interface JointAttributes {
  /** Joint numbers, 4 per vertex. */
  readonly joints: Uint16Array;
  readonly weights: Float32Array;
  /** Highest joint number of all vertices, plus one. */
  readonly jointCount: number;
}

/** Reads the joints of a primitive; null if it has none. */
export function readJoints(
  primitive: Primitive,
  vertexCount: number,
  file: string,
  jsonPath: string,
): JointAttributes | null {
  const sets: { joints: Float32Array; weights: Float32Array }[] = [];
  for (let set = 0; ; set++) {
    const joints = primitive.getAttribute(`JOINTS_${set}`);
    const weights = primitive.getAttribute(`WEIGHTS_${set}`);
    if (!joints || !weights) break;
    for (const accessor of [joints, weights]) {
      checkElementCount(accessor, vertexCount, file, `${jsonPath}.attributes`);
    }
    sets.push({
      joints: accessorFloats(joints, [PER_VERTEX], file, `${jsonPath}.attributes.JOINTS_${set}`),
      weights: accessorFloats(weights, [PER_VERTEX], file, `${jsonPath}.attributes.WEIGHTS_${set}`),
    });
  }
  if (sets.length === 0) return null;
  const joints = new Uint16Array(vertexCount * PER_VERTEX);
  const weights = new Float32Array(vertexCount * PER_VERTEX);
  let jointCount = 1;
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    const influences = influencesOf(sets, vertex);
    const sum = influences.reduce((total, { weight }) => total + weight, 0);
    influences.forEach(({ joint, weight }, index) => {
      joints[vertex * PER_VERTEX + index] = joint;
      weights[vertex * PER_VERTEX + index] = weight / sum;
      jointCount = Math.max(jointCount, joint + 1);
    });
    // A vertex without any weight follows the first joint. With zero weights it would collapse into the origin.
    if (influences.length === 0) weights[vertex * PER_VERTEX] = 1;
  }
  return { joints, weights, jointCount };
}

/** Returns up to four joints of a vertex, the strongest first. */
function influencesOf(
  sets: readonly { joints: Float32Array; weights: Float32Array }[],
  vertex: number,
): { joint: number; weight: number }[] {
  const influences: { joint: number; weight: number }[] = [];
  for (const { joints, weights } of sets) {
    for (let index = vertex * PER_VERTEX; index < (vertex + 1) * PER_VERTEX; index++) {
      const weight = weights[index] as number;
      if (weight > 0 && Number.isFinite(weight)) influences.push({ joint: joints[index] as number, weight });
    }
  }
  return influences.sort((a, b) => b.weight - a.weight).slice(0, PER_VERTEX);
}

/**
 * Writes the joints into interleaved vertices. The vertex format must contain joints.
 * @param order index of the source vertex of each vertex; default: the same index
 */
export function writeJoints(
  { data, vertexFormat }: Pick<GeometryDescription, 'data' | 'vertexFormat'>,
  { joints, weights }: JointAttributes,
  order?: ArrayLike<number>,
): void {
  const stride = vertexStride(vertexFormat);
  const offset = vertexAttributeOffset(vertexFormat, VertexFormat.joints);
  const floats = new Float32Array(data);
  const halves = new Uint16Array(data);
  const count = order?.length ?? joints.length / PER_VERTEX;
  for (let vertex = 0; vertex < count; vertex++) {
    const from = (order ? (order[vertex] as number) : vertex) * PER_VERTEX;
    const to = vertex * stride + offset;
    for (let index = 0; index < PER_VERTEX; index++) {
      halves[to / 2 + index] = joints[from + index] as number;
      floats[(to + 8) / 4 + index] = weights[from + index] as number;
    }
  }
}

/** Returns a box per joint around its vertices: centre and half extents. An unused joint has half extents of −1. */
export function jointBoxes(
  positions: Float32Array,
  { joints, weights, jointCount }: JointAttributes,
): Float32Array {
  const minimum = new Float32Array(jointCount * 3).fill(Infinity);
  const maximum = new Float32Array(jointCount * 3).fill(-Infinity);
  for (let index = 0; index < joints.length; index++) {
    if (weights[index] === 0) continue;
    const joint = (joints[index] as number) * 3;
    const vertex = Math.floor(index / PER_VERTEX) * 3;
    for (let axis = 0; axis < 3; axis++) {
      const value = positions[vertex + axis] as number;
      minimum[joint + axis] = Math.min(minimum[joint + axis] as number, value);
      maximum[joint + axis] = Math.max(maximum[joint + axis] as number, value);
    }
  }
  const boxes = new Float32Array(jointCount * BOX).fill(-1);
  for (let joint = 0; joint < jointCount; joint++) {
    if ((minimum[joint * 3] as number) > (maximum[joint * 3] as number)) continue;
    for (let axis = 0; axis < 3; axis++) {
      const low = minimum[joint * 3 + axis] as number;
      const high = maximum[joint * 3 + axis] as number;
      boxes[joint * BOX + axis] = (low + high) / 2;
      boxes[joint * BOX + 3 + axis] = (high - low) / 2;
    }
  }
  return boxes;
}

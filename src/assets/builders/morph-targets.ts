/**
 * Builds morph targets: the deltas by which each target moves the vertices of a geometry. Integers become floats, and
 * sparse accessors become dense. With flat normals, targets move only positions, and `mesh-deformed.wgsl` computes the
 * normals from the moved positions. A vertex has 6 or 9 floats.
 *
 *   targets[t] { POSITION, NORMAL, TANGENT } ─► │ target 0: vertex 0, vertex 1 … │ target 1 … │
 */
import type { Primitive } from '@gltf-transform/core';
import type { MorphDescription } from '../../proxy/scene-description.js';
import { checkSize, invalidGltf, orWarn } from '../asset-error.js';
import { MORPH_SEMANTICS } from '../gltf/attribute-semantics.js';
import { accessorFloats, checkElementCount } from './accessor-floats.js';

const BOX = 6;

interface MorphSource {
  readonly primitive: Primitive;
  /** Count of vertices in the file's primitive. */
  readonly vertexCount: number;
  /** Index of the source vertex of each vertex of the geometry; undefined for the same index. */
  readonly order: ArrayLike<number> | undefined;
  readonly hasTangents: boolean;
  /** Whether each triangle has one computed normal, because the file has none. */
  readonly isFlat: boolean;
}

/**
 * Builds the morph targets; null if there are none. A faulty attribute of a target is ignored with a warning.
 * @throws AssetError `asset-too-large`
 */
export function buildMorph(
  { primitive, vertexCount, order, hasTangents, isFlat }: MorphSource,
  file: string,
  jsonPath: string,
  warnings: string[],
): MorphDescription | null {
  const targets = primitive.listTargets();
  if (targets.length === 0) return null;
  const count = order?.length ?? vertexCount;
  const size = hasTangents ? 9 : 6;
  checkSize(targets.length * count * size * 4, file, jsonPath);
  const deltas = new Float32Array(targets.length * count * size);
  const boxes = new Float32Array(targets.length * BOX);
  targets.forEach((target, index) => {
    const begin = index * count * size;
    MORPH_SEMANTICS.slice(0, isFlat ? 1 : size / 3).forEach((semantic, part) => {
      const at = `${jsonPath}.targets[${index}].${semantic}`;
      const accessor = target.getAttribute(semantic);
      if (!accessor) return;
      const values = orWarn(warnings, 'It has no effect.', null, () => {
        checkElementCount(accessor, vertexCount, file, at);
        const floats = accessorFloats(accessor, [3], file, at);
        if (floats.every(Number.isFinite)) return floats;
        throw invalidGltf(file, at, 'It has a number that is not finite.');
      });
      if (!values) return;
      for (let vertex = 0; vertex < count; vertex++) {
        const from = (order ? (order[vertex] as number) : vertex) * 3;
        const to = begin + vertex * size + part * 3;
        for (let axis = 0; axis < 3; axis++) deltas[to + axis] = values[from + axis] as number;
      }
    });
    writeBox(boxes, index * BOX, deltas.subarray(begin, begin + count * size), size);
  });
  return {
    names: targets.map((target) => target.getName()),
    deltas: deltas.buffer,
    size,
    boxes,
  };
}

function writeBox(boxes: Float32Array, at: number, deltas: Float32Array, size: number): void {
  for (let axis = 0; axis < 3; axis++) {
    let least = Infinity;
    let most = -Infinity;
    for (let index = axis; index < deltas.length; index += size) {
      least = Math.min(least, deltas[index] as number);
      most = Math.max(most, deltas[index] as number);
    }
    boxes[at + axis] = Math.min(least, most);
    boxes[at + 3 + axis] = most;
  }
}

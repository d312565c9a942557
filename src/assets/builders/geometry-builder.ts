/**
 * Converts a primitive of a file to one buffer: interleaved vertices, then 32-bit indices. Triangles without normals
 * get flat normals, so each triangle gets three vertices of its own.
 *
 *   accessors ─ decode ─► floats ─ interleave ─► │ p n uv0 [tangent] [uv1] [colour] [joints] │ … │ u32 indices │
 */
import type { Accessor, Primitive } from '@gltf-transform/core';
import { type Attribute, interleave, withAlpha } from '../../proxy/geometry/interleave.js';
import { writeFlatNormals } from '../../proxy/geometry/triangles.js';
import {
  BASE_VERTEX_BYTES,
  VertexFormat,
  vertexAttributeOffset,
  vertexStride,
} from '../../proxy/geometry/vertex-format.js';
import type { GeometryDescription } from '../../proxy/scene-description.js';
import { assetError, invalidGltf, orWarn } from '../asset-error.js';
import type { VERTEX_SEMANTICS } from '../gltf/attribute-semantics.js';
import { convertMode, triangleCorners } from '../gltf/topology.js';
import { accessorFloats, checkElementCount } from './accessor-floats.js';
import { jointBoxes, readJoints, writeJoints } from './joint-attributes.js';
import { buildMorph } from './morph-targets.js';

interface BuiltGeometry {
  readonly geometry: GeometryDescription;
  /** Points and lines without normals are drawn unlit (glTF 2.0 §3.7.2.1). */
  readonly isUnlit: boolean;
}

/**
 * Builds the geometry of a primitive.
 * @param warnings receives the faults of morph targets and joints, which are left out
 * @returns null if the primitive has no positions, no vertices or too few indices
 * @throws AssetError
 */
export function buildGeometry(
  primitive: Primitive,
  label: string,
  file: string,
  jsonPath: string,
  warnings: string[],
): BuiltGeometry | null {
  const position = primitive.getAttribute('POSITION');
  const vertexCount = position?.getCount() ?? 0;
  if (!position || vertexCount === 0) return null;

  const read = (
    semantic: (typeof VERTEX_SEMANTICS)[number],
    componentCounts: readonly number[],
  ): Float32Array | null => {
    const accessor = primitive.getAttribute(semantic);
    if (!accessor) return null;
    const attributePath = `${jsonPath}.attributes.${semantic}`;
    checkElementCount(accessor, vertexCount, file, attributePath);
    return accessorFloats(accessor, componentCounts, file, attributePath);
  };

  const positions = read('POSITION', [3]) ?? new Float32Array(0);
  const normals = read('NORMAL', [3]);
  const indices = primitive.getIndices();
  const drawn = convertMode(
    primitive.getMode(),
    indices && readIndices(indices, vertexCount, file, jsonPath),
    vertexCount,
  );
  const isTriangles = drawn.topology === 'triangle-list' || drawn.topology === 'triangle-strip';
  const isFlat = isTriangles && !normals;
  // Tangents without normals are ignored (glTF 2.0 §3.7.2.1).
  const tangents = normals ? read('TANGENT', [4]) : null;
  const uv1 = read('TEXCOORD_1', [2]);
  const colors = read('COLOR_0', [3, 4]);
  const joints = orWarn(warnings, 'The mesh is shown without joints.', null, () =>
    readJoints(primitive, vertexCount, file, jsonPath),
  );

  checkFinite(positions, file, `${jsonPath}.attributes.POSITION`);
  const format =
    (tangents ? VertexFormat.tangents : 0) |
    (uv1 ? VertexFormat.uv1 : 0) |
    (colors ? VertexFormat.colors : 0) |
    (joints ? VertexFormat.joints : 0);
  const attributes: Attribute[] = [];
  const add = (source: Float32Array | null, components: number, byteOffset: number): void => {
    if (source) attributes.push([source, components, byteOffset]);
  };
  add(positions, 3, 0);
  add(normals, 3, 12);
  add(read('TEXCOORD_0', [2]), 2, 24);
  add(tangents, 4, BASE_VERTEX_BYTES);
  add(uv1, 2, vertexAttributeOffset(format, VertexFormat.uv1));
  const hasAlpha = primitive.getAttribute('COLOR_0')?.getElementSize() !== 3;
  const colorOffset = vertexAttributeOffset(format, VertexFormat.colors);
  add(colors && !hasAlpha ? withAlpha(colors) : colors, 4, colorOffset);

  const order = isFlat ? triangleCorners(drawn, vertexCount) : undefined;
  // Too few indices for a primitive draw nothing. Missing indices draw every vertex.
  if (order?.length === 0 || drawn.corners?.length === 0) return null;
  const topology = isFlat ? 'triangle-list' : drawn.topology;
  const drawnIndices = isFlat ? undefined : (drawn.corners ?? undefined);
  const geometry = interleave(label, topology, format, attributes, drawnIndices, order);
  const isUnlit = !isTriangles && !normals;
  const targets = { primitive, vertexCount, order, hasTangents: tangents !== null, isFlat };
  const morph = buildMorph(targets, file, jsonPath, warnings);
  if (isFlat) {
    writeFlatNormals(geometry);
    if (joints || morph) markFlatNormals(geometry);
  }
  if (joints) writeJoints(geometry, joints, order);
  return {
    geometry: {
      ...geometry,
      ...(joints && { jointBoxes: jointBoxes(positions, joints) }),
      ...(morph && { morph }),
    },
    isUnlit,
  };
}

/**
 * Length of the flat normals of deformed geometry, longer than any normal in a file. For normals of this length,
 * `mesh-deformed.wgsl` computes the normal of the deformed triangle. Other shaders use only the direction.
 */
const FLAT_NORMAL_LENGTH = 2 ** 20;

function markFlatNormals({ data, vertexFormat, vertexCount }: GeometryDescription): void {
  const floats = new Float32Array(data);
  const stride = vertexStride(vertexFormat) / 4;
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    for (let at = vertex * stride + 3; at < vertex * stride + 6; at++)
      floats[at] = (floats[at] as number) * FLAT_NORMAL_LENGTH;
  }
}

function readIndices(accessor: Accessor, vertexCount: number, file: string, jsonPath: string): Uint32Array {
  const array = accessor.getArray();
  if (accessor.getElementSize() !== 1 || array instanceof Float32Array) {
    throw invalidGltf(file, `${jsonPath}.indices`, 'Indices should be whole numbers, one per element.');
  }
  const indices = new Uint32Array(array ?? []);
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i] ?? 0;
    if (index < vertexCount) continue;
    throw assetError(
      'indices-out-of-range',
      file,
      `${jsonPath}.indices`,
      `Element ${i} is ${index}, and there are ${vertexCount} vertices. Export the file again.`,
    );
  }
  return indices;
}

function checkFinite(positions: Float32Array, file: string, jsonPath: string): void {
  const index = positions.findIndex((value) => !Number.isFinite(value));
  if (index >= 0) throw invalidGltf(file, jsonPath, `Element ${Math.floor(index / 3)} is not finite.`);
}

import type { Accessor, Primitive } from '@gltf-transform/core';
import type { GeometryDescription } from '../proxy/scene-description.js';
import {
  BASE_VERTEX_BYTES,
  VertexFormat,
  vertexAttributeOffset,
  vertexStride,
} from '../proxy/vertex-format.js';
import { accessorFloats } from './accessor-floats.js';
import { assetError, invalidGltf } from './asset-error.js';
import { convertMode, triangleCorners } from './topology.js';

/** The attributes that are read; all others are left out. */
export const VERTEX_SEMANTICS = [
  'POSITION',
  'NORMAL',
  'TANGENT',
  'TEXCOORD_0',
  'TEXCOORD_1',
  'COLOR_0',
] as const;

export interface BuiltGeometry {
  readonly geometry: GeometryDescription;
  /** Points and lines without normals are drawn unlit (glTF 2.0 §3.7.2.1). */
  readonly isUnlit: boolean;
}

/** One attribute: where its floats come from and where they go within a vertex. Offsets are in floats. */
interface AttributeCopy {
  readonly source: Float32Array;
  readonly components: number;
  readonly targetOffset: number;
}

/**
 * Turns a primitive into one buffer: interleaved vertices, then 32-bit indices. Triangles without normals get
 * flat ones, which takes three vertices of their own per triangle.
 *
 *   accessors ─ decode ─► floats ─ interleave ─► │ p n uv0 [tangent] [uv1] [colour] │ … │ u32 indices │
 *
 * @returns null when there is nothing to draw: no positions, or no vertices
 */
export function buildGeometry(
  primitive: Primitive,
  label: string,
  file: string,
  place: string,
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
    const attributePlace = `${place}.attributes.${semantic}`;
    if (accessor.getCount() !== vertexCount) {
      const counts = `It has ${accessor.getCount()} elements, and POSITION has ${vertexCount}.`;
      throw invalidGltf(file, attributePlace, counts);
    }
    return accessorFloats(accessor, componentCounts, file, attributePlace);
  };

  const positions = read('POSITION', [3]) ?? new Float32Array(0);
  const normals = read('NORMAL', [3]);
  const indices = primitive.getIndices();
  const drawn = convertMode(
    primitive.getMode(),
    indices && readIndices(indices, vertexCount, file, place),
    vertexCount,
  );
  const isTriangles = drawn.topology === 'triangle-list' || drawn.topology === 'triangle-strip';
  const isFlat = isTriangles && !normals;
  // Given tangents belong to given normals, and are ignored without (glTF 2.0 §3.7.2.1).
  const tangents = normals ? read('TANGENT', [4]) : null;
  const uv1 = read('TEXCOORD_1', [2]);
  const colors = read('COLOR_0', [3, 4]);

  const format =
    (tangents ? VertexFormat.tangents : 0) |
    (uv1 ? VertexFormat.uv1 : 0) |
    (colors ? VertexFormat.colors : 0);
  const copies: AttributeCopy[] = [];
  const add = (source: Float32Array | null, components: number, byteOffset: number): void => {
    if (source) copies.push({ source, components, targetOffset: byteOffset / 4 });
  };
  add(positions, 3, 0);
  add(normals, 3, 12);
  add(read('TEXCOORD_0', [2]), 2, 24);
  add(tangents, 4, BASE_VERTEX_BYTES);
  add(uv1, 2, vertexAttributeOffset(format, VertexFormat.uv1));
  const colorOffset = vertexAttributeOffset(format, VertexFormat.colors);
  const colorComponents = primitive.getAttribute('COLOR_0')?.getElementSize() ?? 4;
  add(colors, colorComponents, colorOffset);

  const order = isFlat ? triangleCorners(drawn, vertexCount) : null;
  const outputCount = order ? order.length : vertexCount;
  // Indices of which no primitive can be made draw nothing; no indices at all draw every vertex.
  if (outputCount === 0 || drawn.corners?.length === 0) return null;
  const stride = vertexStride(format) / 4;
  const outputIndices = isFlat ? null : drawn.corners;
  const data = new ArrayBuffer((outputCount * stride + (outputIndices?.length ?? 0)) * 4);
  const vertices = new Float32Array(data, 0, outputCount * stride);

  for (const copy of copies) interleave(vertices, stride, outputCount, order, copy);
  if (colors && colorComponents === 3) fill(vertices, stride, colorOffset / 4 + 3, 1);
  if (isFlat) addFlatNormals(vertices, stride);
  if (outputIndices) new Uint32Array(data, vertices.byteLength).set(outputIndices);

  return {
    geometry: {
      label,
      vertexFormat: format,
      topology: isFlat ? 'triangle-list' : drawn.topology,
      vertexCount: outputCount,
      indexCount: outputIndices?.length ?? 0,
      data,
      ...findBounds(positions, file, `${place}.attributes.POSITION`),
    },
    isUnlit: !isTriangles && !normals,
  };
}

function readIndices(accessor: Accessor, vertexCount: number, file: string, place: string): Uint32Array {
  const array = accessor.getArray();
  if (accessor.getElementSize() !== 1 || array instanceof Float32Array) {
    throw invalidGltf(file, `${place}.indices`, 'Indices should be whole numbers, one per element.');
  }
  const indices = new Uint32Array(array ?? []);
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i] ?? 0;
    if (index < vertexCount) continue;
    throw assetError(
      'indices-out-of-range',
      file,
      `${place}.indices`,
      `Element ${i} is ${index}, and there are ${vertexCount} vertices. Export the file again.`,
    );
  }
  return indices;
}

function interleave(
  vertices: Float32Array,
  stride: number,
  count: number,
  order: Uint32Array | null,
  { source, components, targetOffset }: AttributeCopy,
): void {
  for (let i = 0; i < count; i++) {
    const from = (order ? (order[i] ?? 0) : i) * components;
    const to = i * stride + targetOffset;
    for (let component = 0; component < components; component++) {
      vertices[to + component] = source[from + component] ?? 0;
    }
  }
}

function fill(vertices: Float32Array, stride: number, offset: number, value: number): void {
  for (let i = offset; i < vertices.length; i += stride) vertices[i] = value;
}

/** The normal of each three vertices, counter-clockwise seen from outside; +Y where a triangle has no area. */
function addFlatNormals(vertices: Float32Array, stride: number): void {
  const at = (index: number): number => vertices[index] ?? 0;
  for (let a = 0; a + 3 * stride <= vertices.length; a += 3 * stride) {
    const b = a + stride;
    const c = b + stride;
    const [ux, uy, uz] = [at(b) - at(a), at(b + 1) - at(a + 1), at(b + 2) - at(a + 2)];
    const [vx, vy, vz] = [at(c) - at(a), at(c + 1) - at(a + 1), at(c + 2) - at(a + 2)];
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    const length = Math.hypot(x, y, z);
    const normal = length > 0 ? [x / length, y / length, z / length] : [0, 1, 0];
    for (const corner of [a, b, c]) vertices.set(normal, corner + 3);
  }
}

type Bounds = Pick<GeometryDescription, 'minimum' | 'maximum'>;

function findBounds(positions: Float32Array, file: string, place: string): Bounds {
  const minimum: [number, number, number] = [Infinity, Infinity, Infinity];
  const maximum: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    const value = positions[i] ?? 0;
    const axis = (i % 3) as 0 | 1 | 2;
    if (!Number.isFinite(value)) {
      throw invalidGltf(file, place, `Element ${Math.floor(i / 3)} is not finite.`);
    }
    if (value < minimum[axis]) minimum[axis] = value;
    if (value > maximum[axis]) maximum[axis] = value;
  }
  return { minimum, maximum };
}

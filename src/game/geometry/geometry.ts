/**
 * Geometry: vertices interleaved as the GPU reads them, checked at creation. Like materials and textures, it
 * is a plain description that any number of meshes and worlds share.
 *
 *   positions, normals, uvs … ─► check ─► flat normals if there are none ─► interleave ─► one ArrayBuffer
 *
 * Without normals each triangle gets a normal of its own, as glTF requires, so shared vertices are split. Front
 * faces wind counter-clockwise. Texture coordinates have (0, 0) at the top left of the image.
 */

import { SceneError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, oneOf, optional, text } from '../../core/options/members.js';
import { TOPOLOGIES, type Topology } from '../../proxy/commands.js';
import {
  type GeometryCounts,
  geometryBytes,
  MAXIMUM_GEOMETRY_BYTES,
} from '../../proxy/geometry/geometry-size.js';
import { type Attribute, interleave, withAlpha } from '../../proxy/geometry/interleave.js';
import { VertexFormat, vertexAttributeOffset } from '../../proxy/geometry/vertex-format.js';
import { flatGeometry } from './flat-geometry.js';
import { checkAttribute, checkIndices } from './geometry-checks.js';
import { Geometry } from './updatable-geometry.js';

const OPTIONS = {
  /** Positions in metres, 3 numbers per vertex. */
  positions: anything<ArrayLike<number>>(),
  /** Normals of unit length, 3 numbers per vertex. Default: flat normals. */
  normals: optional(anything<ArrayLike<number>>()),
  /** Texture coordinates, 2 numbers per vertex; v runs downwards from the top of the image. */
  uvs: optional(anything<ArrayLike<number>>()),
  /** Second set of texture coordinates, 2 numbers per vertex. */
  uvs1: optional(anything<ArrayLike<number>>()),
  /** Linear colours, 3 or 4 numbers per vertex. */
  colors: optional(anything<ArrayLike<number>>()),
  /** Tangents, 4 numbers per vertex: direction of u, and the sign of the bitangent. */
  tangents: optional(anything<ArrayLike<number>>()),
  /** Indices of vertices. Default: all vertices in order. */
  indices: optional(anything<ArrayLike<number>>()),
  /** Default `triangle-list`. */
  topology: byDefault(oneOf(TOPOLOGIES), 'triangle-list'),
  name: optional(text('text')),
};

export type GeometryOptions = Shaped<typeof OPTIONS>;

export type { Geometry };

/** Number of indices per primitive, for topologies that allow no incomplete primitive. */
const INDICES_PER_PRIMITIVE: Readonly<Partial<Record<Topology, number>>> = {
  'triangle-list': 3,
  'line-list': 2,
};

/**
 * Creates a geometry of at most 1 GiB.
 * @throws OptionError `option-unknown`, `option-invalid`; SceneError `limit-exceeded`, `geometry-attribute-length`,
 *   `geometry-not-finite`, `geometry-index-out-of-range`, `geometry-incomplete-primitive`
 * @example geometry({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] })
 */
export function geometry(options: GeometryOptions): Geometry {
  checkOptions('geometry', options, OPTIONS);
  const { positions, normals, uvs, uvs1, colors, tangents, name = 'geometry' } = options;
  const topology = options.topology ?? OPTIONS.topology.default;
  // At least 1, so that missing positions are rejected below.
  const vertexCount = Math.ceil((positions?.length || 1) / 3);
  const vertexFormat =
    (tangents ? VertexFormat.tangents : 0) |
    (uvs1 ? VertexFormat.uv1 : 0) |
    (colors ? VertexFormat.colors : 0);
  const indexCount = options.indices?.length;
  // The size is checked before any data is read or allocated.
  checkBytes(name, { topology, vertexFormat, vertexCount, indexCount, hasNormals: Boolean(normals) });
  checkAttribute(name, 'positions', positions ?? [], vertexCount, 3);
  checkAttribute(name, 'normals', normals, vertexCount, 3);
  checkAttribute(name, 'uvs', uvs, vertexCount, 2);
  checkAttribute(name, 'uvs1', uvs1, vertexCount, 2);
  const colorSize = colors?.length === vertexCount * 3 ? 3 : 4;
  checkAttribute(name, 'colors', colors, vertexCount, colorSize);
  checkAttribute(name, 'tangents', tangents, vertexCount, 4);
  const { indices } = options;
  checkCount(name, indices, vertexCount, topology);
  if (indices) checkIndices(name, indices, vertexCount);

  const attributes: Attribute[] = [[positions, 3, 0]];
  if (normals) attributes.push([normals, 3, 12]);
  if (uvs) attributes.push([uvs, 2, 24]);
  const add = (values: ArrayLike<number> | undefined, size: number, bit: number): void => {
    if (values) attributes.push([values, size, vertexAttributeOffset(vertexFormat, bit)]);
  };
  add(tangents, 4, VertexFormat.tangents);
  add(uvs1, 2, VertexFormat.uv1);
  add(colors && colorSize === 3 ? withAlpha(colors) : colors, 4, VertexFormat.colors);
  const description = interleave(name, topology, vertexFormat, attributes, indices);
  return !normals && topology.startsWith('triangle') ? flatGeometry(description) : new Geometry(description);
}

function checkBytes(name: string, counts: GeometryCounts): void {
  const bytes = geometryBytes(counts);
  if (bytes <= MAXIMUM_GEOMETRY_BYTES) return;
  const flat = counts.hasNormals ? '' : ' Without normals each triangle takes three vertices of its own.';
  throw new SceneError(
    'limit-exceeded',
    `Geometry "${name}" would take ${bytes} bytes; the maximum is ${MAXIMUM_GEOMETRY_BYTES} (1 GiB).${flat} Split it into several meshes.`,
  );
}

/** Checks that a list of primitives has no incomplete one. */
function checkCount(
  name: string,
  indices: ArrayLike<number> | undefined,
  vertexCount: number,
  topology: Topology,
): void {
  const count = indices?.length ?? vertexCount;
  const step = INDICES_PER_PRIMITIVE[topology] ?? 1;
  if (count % step === 0) return;
  throw new SceneError(
    'geometry-incomplete-primitive',
    `Geometry "${name}" has ${count} ${indices ? 'indices' : 'vertices'}; a ${topology} needs a multiple of ${step}.`,
  );
}

/**
 * Geometry: vertices interleaved as the GPU reads them, checked when it is made. Like materials and textures
 * it is a plain description that any number of meshes and worlds share.
 *
 *   positions, normals, uvs … ─► check ─► flat normals where there are none ─► interleave ─► one ArrayBuffer
 *
 * Without normals each triangle gets its own, as glTF asks, so shared vertices are split. Front faces wind
 * counter-clockwise; texture coordinates have (0, 0) at the top left of the image.
 */
import { SceneError } from '../core/errors.js';
import { TOPOLOGIES, type Topology } from '../proxy/commands.js';
import type { GeometryDescription } from '../proxy/scene-description.js';
import { VertexFormat, vertexAttributeOffset, vertexStride } from '../proxy/vertex-format.js';
import { type Attribute, interleave } from './interleave.js';
import { checkChoice, checkOptions } from './options.js';
import { MAXIMUM_FLOAT } from './transform-view.js';

export interface GeometryOptions {
  /** 3 per vertex, metres. */
  readonly positions: ArrayLike<number>;
  /** 3 per vertex, unit length. Default: flat. */
  readonly normals?: ArrayLike<number>;
  /** 2 per vertex, v downwards from the top of the image. */
  readonly uvs?: ArrayLike<number>;
  /** 2 per vertex: a second set of texture coordinates. */
  readonly uvs1?: ArrayLike<number>;
  /** 3 or 4 per vertex, linear. */
  readonly colors?: ArrayLike<number>;
  /** 4 per vertex: direction of u, and the sign of the bitangent. */
  readonly tangents?: ArrayLike<number>;
  /** Vertices by number. Default: one after the other. */
  readonly indices?: ArrayLike<number>;
  /** Default `triangle-list`. */
  readonly topology?: Topology;
  readonly name?: string;
}

/** What a mesh is drawn from. Make one with `geometry()` or one of the shapes. */
export type Geometry = GeometryDescription;

/** How many indices make one primitive, by topology; 1 where any number does. */
const INDICES_PER_PRIMITIVE: Readonly<Partial<Record<Topology, number>>> = {
  'triangle-list': 3,
  'line-list': 2,
};

/**
 * Makes a geometry. Throws `geometry-attribute-length`, `geometry-not-finite`, `geometry-index-out-of-range` or
 * `geometry-incomplete-primitive`.
 * @example geometry({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] })
 */
export function geometry(options: GeometryOptions): Geometry {
  checkOptions('geometry', options, 'positions normals uvs uvs1 colors tangents indices topology name');
  const { positions, normals, uvs, uvs1, colors, tangents, name = 'geometry' } = options;
  let topology = checkChoice('geometry', 'topology', options.topology ?? 'triangle-list', TOPOLOGIES);
  const vertexCount = Math.floor((positions?.length ?? 0) / 3);
  checkAttribute(name, 'positions', positions, vertexCount, 3);
  if (!vertexCount) throw new SceneError('geometry-attribute-length', `Geometry "${name}" has no positions.`);
  checkAttribute(name, 'normals', normals, vertexCount, 3);
  checkAttribute(name, 'uvs', uvs, vertexCount, 2);
  checkAttribute(name, 'uvs1', uvs1, vertexCount, 2);
  const colorSize = colors?.length === vertexCount * 3 ? 3 : 4;
  checkAttribute(name, 'colors', colors, vertexCount, colorSize);
  checkAttribute(name, 'tangents', tangents, vertexCount, 4);
  let indices: ArrayLike<number> | undefined = options.indices;
  checkIndices(name, indices, vertexCount, topology);

  const needsNormals = !normals && topology.startsWith('triangle');
  if (needsNormals) {
    // One vertex per corner: a list without sharing.
    indices = topology === 'triangle-strip' ? listFromStrip(indices, vertexCount) : indices;
    topology = 'triangle-list';
  }
  const vertexFormat =
    (tangents ? VertexFormat.tangents : 0) |
    (uvs1 ? VertexFormat.uv1 : 0) |
    (colors ? VertexFormat.colors : 0);
  // With flat normals the indices are used up here: corner i is vertex indices[i].
  const corners = needsNormals ? indices : undefined;
  const attributes: Attribute[] = [[positions, 3, 0]];
  if (normals) attributes.push([normals, 3, 12]);
  if (uvs) attributes.push([uvs, 2, 24]);
  const optional = (values: ArrayLike<number> | undefined, size: number, bit: number): void => {
    if (values) attributes.push([values, size, vertexAttributeOffset(vertexFormat, bit)]);
  };
  optional(tangents, 4, VertexFormat.tangents);
  optional(uvs1, 2, VertexFormat.uv1);
  optional(colors && colorSize === 3 ? withAlpha(colors) : colors, 4, VertexFormat.colors);
  const result = interleave(
    name,
    topology,
    vertexFormat,
    attributes,
    needsNormals ? undefined : indices,
    corners,
  );
  if (needsNormals) writeFlatNormals(result);
  return result;
}

function withAlpha(colors: ArrayLike<number>): Float32Array {
  const result = new Float32Array((colors.length / 3) * 4).fill(1);
  for (let index = 0; index < colors.length; index++) {
    result[Math.floor(index / 3) * 4 + (index % 3)] = colors[index] as number;
  }
  return result;
}

function checkAttribute(
  name: string,
  attribute: string,
  values: ArrayLike<number> | undefined,
  vertexCount: number,
  size: number,
): void {
  if (values === undefined) return;
  if (values.length !== vertexCount * size) {
    throw new SceneError(
      'geometry-attribute-length',
      `${attribute} of geometry "${name}" has ${values.length} numbers; ${vertexCount} vertices need ${vertexCount * size}, ${size} each.`,
    );
  }
  for (let index = 0; index < values.length; index++) {
    if (!(Math.abs(values[index] as number) <= MAXIMUM_FLOAT)) {
      throw new SceneError(
        'geometry-not-finite',
        `${attribute} of geometry "${name}" has ${values[index]} at ${index} (vertex ${Math.floor(index / size)}); every number has to be finite.`,
      );
    }
  }
}

function checkIndices(
  name: string,
  indices: ArrayLike<number> | undefined,
  vertexCount: number,
  topology: Topology,
): void {
  const count = indices?.length ?? vertexCount;
  const step = INDICES_PER_PRIMITIVE[topology] ?? 1;
  if (count % step) {
    throw new SceneError(
      'geometry-incomplete-primitive',
      `Geometry "${name}" has ${count} ${indices ? 'indices' : 'vertices'}; a ${topology} needs a multiple of ${step}.`,
    );
  }
  if (!indices) return;
  for (let index = 0; index < count; index++) {
    const vertex = indices[index] as number;
    if (!(Number.isInteger(vertex) && vertex >= 0 && vertex < vertexCount)) {
      throw new SceneError(
        'geometry-index-out-of-range',
        `Index ${index} of geometry "${name}" is ${vertex}; it has ${vertexCount} vertices, so indices go from 0 to ${vertexCount - 1}.`,
      );
    }
  }
}

/** Every second triangle of a strip is turned around, so that all wind the same way. */
function listFromStrip(indices: ArrayLike<number> | undefined, vertexCount: number): number[] {
  const count = indices?.length ?? vertexCount;
  const at = (index: number): number => (indices ? (indices[index] as number) : index);
  const list: number[] = [];
  for (let index = 0; index + 2 < count; index++) {
    const odd = index & 1;
    list.push(at(index), at(index + 1 + odd), at(index + 2 - odd));
  }
  return list;
}

function writeFlatNormals({ data, vertexFormat, vertexCount }: Geometry): void {
  const floats = new Float32Array(data);
  const stride = vertexStride(vertexFormat) / 4;
  const at = (vertex: number, index: number): number => floats[vertex * stride + index] as number;
  for (let vertex = 0; vertex < vertexCount; vertex += 3) {
    const ax = at(vertex + 1, 0) - at(vertex, 0);
    const ay = at(vertex + 1, 1) - at(vertex, 1);
    const az = at(vertex + 1, 2) - at(vertex, 2);
    const bx = at(vertex + 2, 0) - at(vertex, 0);
    const by = at(vertex + 2, 1) - at(vertex, 1);
    const bz = at(vertex + 2, 2) - at(vertex, 2);
    const x = ay * bz - az * by;
    const y = az * bx - ax * bz;
    const z = ax * by - ay * bx;
    const length = Math.hypot(x, y, z);
    // A triangle without area is not seen; any unit normal will do.
    const normal = length > 0 ? [x / length, y / length, z / length] : [0, 1, 0];
    for (let corner = 0; corner < 3; corner++) floats.set(normal, (vertex + corner) * stride + 3);
  }
}

/**
 * Geometry of meshes, whose numbers can be changed in place: whole attributes, or ranges of vertices and
 * indices.
 *
 *   update({ positions, firstVertex }) ─► check ─► data, box ─► registry of each engine that uses it ─► updateGeometry
 *
 * The number of vertices and indices, and the set of attributes, can't change.
 */

import { SceneError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import { shownValue } from '../../core/options/shown-value.js';
import type { DrawnTopology } from '../../proxy/commands.js';
import { VertexFormat, vertexAttributeOffset, vertexStride } from '../../proxy/geometry/vertex-format.js';
import type { GeometryDescription, MorphDescription } from '../../proxy/scene-description.js';
import { isFloat } from '../transforms/transform-view.js';

const CHANGES = {
  /** Positions in metres, 3 numbers per vertex. */
  positions: optional(anything<ArrayLike<number>>()),
  /**
   * Normals of unit length, 3 numbers per vertex. Flat normals are updated automatically with the positions.
   */
  normals: optional(anything<ArrayLike<number>>()),
  /** Texture coordinates, 2 numbers per vertex; v runs downwards from the top of the image. */
  uvs: optional(anything<ArrayLike<number>>()),
  /** Second set of texture coordinates, 2 numbers per vertex. */
  uvs1: optional(anything<ArrayLike<number>>()),
  /** Linear colours, 4 numbers per vertex. */
  colors: optional(anything<ArrayLike<number>>()),
  /** Tangents, 4 numbers per vertex. */
  tangents: optional(anything<ArrayLike<number>>()),
  /** Indices of vertices. */
  indices: optional(anything<ArrayLike<number>>()),
  /** First vertex to change. Default 0. */
  firstVertex: optional(anything<number>()),
  /** Position of the first index to change. Default 0. */
  firstIndex: optional(anything<number>()),
};

/** New numbers for a geometry. Missing attributes stay the same. */
export type GeometryChanges = Shaped<typeof CHANGES>;

/** An observer of changes: the registry of an engine that uses the geometry, or an occluder. */
export interface GeometryObserver {
  /** @param begin first changed word of the geometry's data @param end the word after the last changed one */
  markGeometry(geometry: Geometry, begin: number, end: number): void;
}

/** Attributes: name, numbers per vertex, and either a byte offset or the bit of the vertex format. */
const ATTRIBUTES = [
  ['positions', 3, 0, 0],
  ['normals', 3, 12, 0],
  ['uvs', 2, 24, 0],
  ['tangents', 4, 0, VertexFormat.tangents],
  ['uvs1', 2, 0, VertexFormat.uv1],
  ['colors', 4, 0, VertexFormat.colors],
  ['indices', 1, 0, 0],
] as const;

/** A geometry, created with `geometry()` or a function such as `boxGeometry()`. */
export class Geometry {
  readonly label: string;
  /** @internal Bits of `VertexFormat`. */
  readonly vertexFormat: number;
  readonly topology: DrawnTopology;
  readonly vertexCount: number;
  /** Number of indices. If it is 0, the vertices are drawn in order. */
  readonly indexCount: number;
  /** @internal Interleaved vertices, then the indices. */
  readonly data: ArrayBuffer;
  /** Minimum corner of the box around the positions, in metres; `maximum` is the opposite corner. */
  minimum: readonly [number, number, number];
  maximum: readonly [number, number, number];
  /** @internal */
  readonly jointBoxes: Float32Array | undefined;
  /** @internal */
  readonly morph: MorphDescription | undefined;
  /**
   * @internal The page's vertices and indices, kept if flat normals need separate vertices for each drawn triangle.
   * `update` changes these; `writeFlat` then computes the drawn vertices from them.
   */
  given: GeometryDescription | null = null;
  /** @internal Computes the drawn vertices again after a change; `null` unless normals are flat. */
  writeFlat: ((geometry: Geometry) => void) | null = null;
  /** @internal */
  readonly watchers = new Set<GeometryObserver>();
  /** @internal Rises with each change. */
  version = 0;

  /** @internal */
  constructor(description: GeometryDescription) {
    this.label = description.label;
    this.vertexFormat = description.vertexFormat;
    this.topology = description.topology;
    this.vertexCount = description.vertexCount;
    this.indexCount = description.indexCount;
    this.data = description.data;
    this.minimum = description.minimum;
    this.maximum = description.maximum;
    this.jointBoxes = description.jointBoxes;
    this.morph = description.morph;
  }

  /**
   * Changes numbers in place, of all vertices or of some. Every mesh with this geometry shows the change from the next
   * frame on. Bounds, rays and picks follow. If any value is invalid, nothing changes.
   * @throws OptionError `option-unknown`, `option-invalid`; SceneError `geometry-attribute-length`,
   *   `geometry-attribute-missing`, `geometry-not-finite`, `geometry-index-out-of-range`, `geometry-detached`,
   *   `geometry-deformed`
   * @example water.update({ positions: heights, firstVertex: 40 });
   */
  update(changes: GeometryChanges): void {
    checkOptions('geometry.update', changes, CHANGES);
    for (const [name, size, , bit] of ATTRIBUTES) {
      const values = changes[name];
      if (values) this.#check(changes, name, values, size, bit);
    }
    const { vertexFormat, writeFlat } = this;
    const { data, vertexCount } = this.given ?? this;
    const stride = vertexStride(vertexFormat) / 4;
    const { firstVertex = 0, firstIndex = 0, indices, positions } = changes;
    const floats = new Float32Array(data);
    let begin = Infinity;
    let end = 0;
    for (const [name, size, offset, bit] of ATTRIBUTES) {
      const values = changes[name];
      if (!values || values === indices) continue;
      const at = (bit ? vertexAttributeOffset(vertexFormat, bit) : offset) / 4;
      const count = values.length / size;
      for (let vertex = 0; vertex < count; vertex++) {
        const to = (firstVertex + vertex) * stride + at;
        for (let index = 0; index < size; index++) {
          floats[to + index] = values[vertex * size + index] as number;
        }
      }
      begin = firstVertex * stride;
      end = Math.max(end, begin + count * stride);
    }
    if (indices) {
      const at = vertexCount * stride + firstIndex;
      new Uint32Array(data).set(indices, at);
      begin = Math.min(begin, at);
      end = at + indices.length;
    }
    if (writeFlat) {
      writeFlat(this);
      begin = 0;
      end = this.vertexCount * stride;
    }
    if (positions) [this.minimum, this.maximum] = boxOf(floats, stride, vertexCount * stride);
    this.changed(begin, end);
  }

  /** @internal Reports changed words of `data` to all observers. Called after `minimum` and `maximum` are updated. */
  changed(begin: number, end: number): void {
    this.version++;
    for (const watcher of this.watchers) watcher.markGeometry(this, begin, end);
  }

  #check(
    { firstVertex = 0, firstIndex = 0 }: GeometryChanges,
    name: string,
    values: ArrayLike<number>,
    size: number,
    bit: number,
  ): void {
    const isIndices = name === 'indices';
    const refuse = (code: string, reason: string): never => {
      throw new SceneError(code, `${name} of geometry "${this.label}" can't be updated: ${reason}`);
    };
    if (!this.data.byteLength) refuse('geometry-detached', 'it was transferred away. Create it again.');
    if ((this.vertexFormat & bit) !== bit || (this.writeFlat && name === 'normals')) {
      refuse(
        'geometry-attribute-missing',
        'it has no such attribute, or computes flat normals itself. Create another geometry.',
      );
    }
    if (name === 'positions' && (this.jointBoxes || this.morph)) {
      refuse('geometry-deformed', 'its joints or morph targets depend on the positions in its file.');
    }
    const first = isIndices ? firstIndex : firstVertex;
    const { indexCount, vertexCount } = this.given ?? this;
    const room = isIndices ? indexCount : vertexCount;
    const end = first + values.length / size;
    if (!(Number.isInteger(first) && Number.isInteger(end) && first >= 0 && end <= room)) {
      refuse(
        'geometry-attribute-length',
        `${values.length} numbers from ${isIndices ? 'index' : 'vertex'} ${first} on do not fit: it has room for ${room} × ${size} numbers.`,
      );
    }
    for (let index = 0; index < values.length; index++) {
      const value = values[index] as number;
      if (isIndices ? Number.isInteger(value) && value >= 0 && value < vertexCount : isFloat(value)) continue;
      refuse(
        isIndices ? 'geometry-index-out-of-range' : 'geometry-not-finite',
        `it has ${shownValue(value)} at ${index}.`,
      );
    }
  }
}

type Corner = [number, number, number];

/** Returns the corners of the box around the positions, which are the first three of each `stride` floats. */
function boxOf(floats: Float32Array, stride: number, end: number): [Corner, Corner] {
  const minimum: Corner = [Infinity, Infinity, Infinity];
  const maximum: Corner = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < end; at += stride) {
    for (const axis of [0, 1, 2] as const) {
      const value = floats[at + axis] as number;
      if (value < minimum[axis]) minimum[axis] = value;
      if (value > maximum[axis]) maximum[axis] = value;
    }
  }
  return [minimum, maximum];
}

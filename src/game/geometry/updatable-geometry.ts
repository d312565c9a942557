/**
 * What meshes are drawn from, and how its numbers are changed in place: by whole attributes, or by ranges of vertices and indices.
 *
 *   update({ positions, firstVertex }) ─► checked ─► data, box ─► registries: one per world that shows it ─► updateGeometry
 *
 * How many vertices and indices there are, and which attributes they have, stays as it was made.
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
  /** 3 per vertex, metres. */
  positions: optional(anything<ArrayLike<number>>()),
  /** 3 per vertex, unit length. Flat normals follow the positions by themselves. */
  normals: optional(anything<ArrayLike<number>>()),
  /** 2 per vertex, v downwards from the top of the image. */
  uvs: optional(anything<ArrayLike<number>>()),
  /** 2 per vertex. */
  uvs1: optional(anything<ArrayLike<number>>()),
  /** 4 per vertex, linear. */
  colors: optional(anything<ArrayLike<number>>()),
  /** 4 per vertex. */
  tangents: optional(anything<ArrayLike<number>>()),
  /** Vertices by number. */
  indices: optional(anything<ArrayLike<number>>()),
  /** The vertex that the first numbers are for. Default 0. */
  firstVertex: optional(anything<number>()),
  /** The index that the first of `indices` is. Default 0. */
  firstIndex: optional(anything<number>()),
};

/** Other numbers for a geometry. What is not given stays as it is. */
export type GeometryChanges = Shaped<typeof CHANGES>;

/** Who wants to know of changes: the registries of the worlds that show it. */
export interface GeometryObserver {
  /** @param begin, end words of its data */
  markGeometry(geometry: Geometry, begin: number, end: number): void;
}

/** Numbers per vertex, and the byte at which they lie, or the bit of the format that says so. */
const ATTRIBUTES = [
  ['positions', 3, 0, 0],
  ['normals', 3, 12, 0],
  ['uvs', 2, 24, 0],
  ['tangents', 4, 0, VertexFormat.tangents],
  ['uvs1', 2, 0, VertexFormat.uv1],
  ['colors', 4, 0, VertexFormat.colors],
  ['indices', 1, 0, 0],
] as const;

/** Make one with `geometry()` or one of the shapes. */
export class Geometry {
  readonly label: string;
  /** @internal Bits of `VertexFormat`. */
  readonly vertexFormat: number;
  readonly topology: DrawnTopology;
  readonly vertexCount: number;
  /** 0: the vertices are drawn one after the other. */
  readonly indexCount: number;
  /** @internal Interleaved vertices, then the indices. */
  readonly data: ArrayBuffer;
  /** The least and the largest corner of the box around the positions, metres. */
  minimum: readonly [number, number, number];
  maximum: readonly [number, number, number];
  /** @internal */
  readonly jointBoxes: Float32Array | undefined;
  /** @internal */
  readonly morph: MorphDescription | undefined;
  /** @internal Where triangles have vertices of their own: those that were given, which changes are for, and their indices. */
  given: GeometryDescription | null = null;
  /** @internal Where each triangle has a normal: writes all vertices anew, of those that were given. */
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
   * Changes numbers in place, of all vertices or of some; every mesh that shows it is drawn so from the next frame on, and its bounds,
   * rays and picks follow. Nothing is changed where something is wrong.
   * @throws OptionError `option-unknown`, `option-out-of-range`; SceneError `geometry-attribute-length`, `geometry-attribute-missing`,
   *   `geometry-not-finite`, `geometry-index-out-of-range`, `geometry-detached`, `geometry-deformed`
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

  /** @internal These words of its data are others, and perhaps its box. */
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
    if (!this.data.byteLength) refuse('geometry-detached', 'it was transferred away. Make it again.');
    if ((this.vertexFormat & bit) !== bit || (this.writeFlat && name === 'normals')) {
      refuse('geometry-attribute-missing', 'it was made without. Make another geometry.');
    }
    if (name === 'positions' && (this.jointBoxes || this.morph)) {
      refuse('geometry-deformed', 'its joints or morph targets belong to those of its file.');
    }
    const first = isIndices ? firstIndex : firstVertex;
    const { indexCount, vertexCount } = this.given ?? this;
    const room = isIndices ? indexCount : vertexCount;
    const end = first + values.length / size;
    if (!(Number.isInteger(first) && Number.isInteger(end) && first >= 0 && end <= room)) {
      refuse(
        'geometry-attribute-length',
        `${values.length} numbers from ${first} on; it has ${room} × ${size}.`,
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

/** The least and the largest corner around the first three of each `stride` floats. */
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

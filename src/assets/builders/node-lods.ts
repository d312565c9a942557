/**
 * Reads MSFT_lod of nodes: coarser nodes that replace a node when it is small on screen. Each level has a least size at
 * which it is shown.
 *
 *   node 0 { ids: [5, 6] }, MSFT_screencoverage [0.5, 0.2, 0.01] ─► group { base 0, sizes } of nodes 0, 5 and 6
 *
 * The extension does not define screen coverage. In the engine, a size is the diameter of the finest level's bounding
 * sphere as a share of the screen's height.
 */
import { MathUtils } from '@gltf-transform/core';
import type { GeometryDescription, LodGroup, NodeDescription } from '../../proxy/scene-description.js';
import { extensionOf, type GltfChecks, type JsonObject } from '../gltf/gltf-checks.js';

type Matrix = Parameters<typeof MathUtils.compose>[3];
type Writable = { -readonly [Key in keyof LodGroup]: LodGroup[Key] };

interface NodeLods {
  /** Numbers of nodes, from finer to coarser. */
  readonly ids: readonly number[];
  /** Least size of each level: one for the node itself, then one per id. */
  readonly sizes: readonly number[];
}

/** Reads the levels of a node. @returns undefined if levels or sizes are missing. Missing sizes add a warning. */
export function readLods(
  node: JsonObject | undefined,
  jsonPath: string,
  count: number,
  checks: GltfChecks,
  warnings: string[],
): NodeLods | undefined {
  const at = `${jsonPath}.extensions.MSFT_lod`;
  const extension = extensionOf(node, 'MSFT_lod', at, checks);
  if (!extension) return undefined;
  const ids = checks.indices(extension.ids, count, `${at}.ids`, 'nodes');
  const { extras } = node as JsonObject;
  const given = (extras as JsonObject | undefined)?.MSFT_screencoverage;
  if (ids.length === 0) return undefined;
  if (!Array.isArray(given)) {
    warnings.push(
      `"${checks.file}", ${jsonPath}: It has no extras.MSFT_screencoverage, so the finest of its levels of detail is shown at every size.`,
    );
    return undefined;
  }
  const sizes: number[] = [];
  for (let level = 0; level <= ids.length; level++) {
    // A missing size counts as 0, so the level is shown at any smaller size.
    const size = checks.finite(given[level], 0, `${jsonPath}.extras.MSFT_screencoverage[${level}]`);
    sizes.push(Math.min(Math.max(size, 0), sizes.at(-1) ?? Number.POSITIVE_INFINITY));
  }
  return { ids, sizes };
}

/** Stores the bounding spheres of the groups in them, once all nodes and geometries are built. */
export function measureLods(
  nodes: readonly NodeDescription[],
  geometries: readonly GeometryDescription[],
): void {
  const boxes = new Map<LodGroup, Box>();
  /** Matrices from nodes of the finest level to the space of their group's base, by node. */
  const baseFromNode: (Matrix | undefined)[] = [];
  nodes.forEach(({ lod, parent, transform, primitives, instances }, index) => {
    if (lod?.level !== 0) return;
    const { group } = lod;
    const up = baseFromNode[parent];
    const matrix = group.base === index || !up ? IDENTITY : multiply(up, compose(transform, 0));
    baseFromNode[index] = matrix;
    let box = boxes.get(group);
    if (!box) {
      box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
      boxes.set(group, box);
    }
    for (const { geometry } of primitives) {
      const shape = geometries[geometry];
      if (!shape) continue;
      const places = instances ? Math.floor(instances.length / 10) : 1;
      for (let place = 0; place < places; place++) {
        grow(box, shape, instances ? multiply(matrix, compose(instances, place * 10)) : matrix);
      }
    }
  });
  for (const [group, { min, max }] of boxes) {
    const isEmpty = !Number.isFinite(min[0]);
    const center = min.map((low, axis) => (isEmpty ? 0 : (low + (max[axis] as number)) / 2));
    const radius = isEmpty ? 0 : Math.hypot(...max.map((high, axis) => high - (center[axis] as number)));
    (group as Writable).sphere = [...center, radius];
  }
}

interface Box {
  readonly min: number[];
  readonly max: number[];
}

const IDENTITY: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Returns the matrix of a transform. @param at index of the first of its 10 numbers */
function compose(numbers: ArrayLike<number>, at: number): Matrix {
  const [x = 0, y = 0, z = 0, rx = 0, ry = 0, rz = 0, rw = 1, sx = 1, sy = 1, sz = 1] = Array.from(
    { length: 10 },
    (_, index) => numbers[at + index],
  );
  return MathUtils.compose([x, y, z], [rx, ry, rz, rw], [sx, sy, sz], [...IDENTITY] as Matrix);
}

/** Returns the product of two column-major matrices. */
function multiply(a: Matrix, b: Matrix): Matrix {
  const cell = (at: number): number => {
    let sum = 0;
    for (let k = 0; k < 4; k++) sum += (a[k * 4 + (at & 3)] as number) * (b[(at & ~3) + k] as number);
    return sum;
  };
  return IDENTITY.map((_, at) => cell(at)) as Matrix;
}

function grow({ min, max }: Box, { minimum, maximum }: GeometryDescription, matrix: Matrix): void {
  for (let axis = 0; axis < 3; axis++) {
    let center = matrix[12 + axis] as number;
    let half = 0;
    for (let other = 0; other < 3; other++) {
      const factor = matrix[other * 4 + axis] as number;
      center += (factor * ((minimum[other] as number) + (maximum[other] as number))) / 2;
      half += (Math.abs(factor) * ((maximum[other] as number) - (minimum[other] as number))) / 2;
    }
    min[axis] = Math.min(min[axis] as number, center - half);
    max[axis] = Math.max(max[axis] as number, center + half);
  }
}

/**
 * Raycasts for game logic, computed at once on the page. They hit the triangles of shown meshes, after
 * skinning and morphing. `engine.pick` instead tests the visible pixels.
 *
 *   ray ─► into the mesh's space ─► its box ─► tree of its triangles (static meshes), or all triangles (deformed ones)
 *          └► flat mesh: `flattened-ray.ts` ─┘
 */

import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { byDefault, countFrom, numberFrom } from '../../core/options/members.js';
import type { Actor } from '../components/actor.js';
import { boundsOf } from '../components/bounds.js';
import { PrimitiveComponent } from '../components/primitive-component.js';
import type { Geometry } from '../geometry/geometry.js';
import {
  findNearestHit,
  hitsBox,
  type TriangleHit,
  type TriangleSource,
  trianglesOf,
} from '../geometry/triangles.js';
import { inverseRows, localPoint } from '../transforms/inverse-rows.js';
import type { VectorLike } from '../transforms/transform-view.js';
import { cross, dot, type Triple, tripleAt, unit } from '../transforms/triples.js';
import type { World } from '../world/world.js';
import { flattenedRay, isFlat } from './flattened-ray.js';
import type { PickResult } from './pick-result.js';
import { TriangleTree } from './triangle-tree.js';

const OPTIONS = {
  /** Metres; anything farther away is not hit. Default: no limit. */
  maxDistance: byDefault(numberFrom(0), Infinity),
  /** Layers that the ray can hit, one bit each. Default: all. */
  layers: byDefault(countFrom(0, 0xffffffff), 0xffffffff),
};

export type RaycastOptions = Shaped<typeof OPTIONS>;

/** Floats of a vertex before its first texture coordinates. */
const UV = 6;

/** Matrix of the mesh that is being tested. */
const matrix: number[] = [];

/** Triangles by geometry; null for a geometry without triangles. */
const sources = /* @__PURE__ */ new WeakMap<Geometry, { source: TriangleSource | null; version: number }>();
const trees = /* @__PURE__ */ new WeakMap<TriangleSource, TriangleTree>();

/** See `World.raycast`. */
export function raycast(
  world: World,
  origin: VectorLike,
  direction: VectorLike,
  options: RaycastOptions,
): PickResult | null {
  checkOptions('raycast', options, OPTIONS);
  const { maxDistance = OPTIONS.maxDistance.default, layers = OPTIONS.layers.default } = options;
  const from = numbersOf('origin', origin);
  const towards = numbersOf('direction', direction);
  if (Math.hypot(...towards) === 0)
    throw new OptionError('option-invalid', 'The direction of raycast has length 0.');
  const along = unit(towards);
  let nearest: Hit | null = null;
  let limit = maxDistance;
  for (const { components } of world.levels) {
    for (const component of components) {
      if (!(component instanceof PrimitiveComponent) || (component.layers & layers) === 0) continue;
      // Only the finest of several levels of detail is hit.
      if (component.lod?.level || !component.isPickable) continue;
      for (let place = 0; place < component.placeCount; place++) {
        const found = hitComponent(component, place, from, along, limit, nearest === null);
        if (!found || !component.isShown) continue;
        nearest = found;
        limit = found.hit.distance;
      }
    }
  }
  return nearest && resultOf(nearest, from, along);
}

interface Hit {
  readonly component: PrimitiveComponent;
  /** Index of the instance; 0 for a mesh without instances. */
  readonly place: number;
  readonly source: TriangleSource;
  readonly hit: TriangleHit;
  /** Matrix from the source's positions to world space; `null` if the positions are in world space already. */
  readonly world: readonly number[] | null;
}

/**
 * Returns the nearest hit of a mesh, or of one of its instances; null without a hit.
 * @param place index of the instance; 0 for a mesh without instances
 * @param isInclusive whether a hit exactly at the limit counts: true for `maxDistance`, false for an earlier hit
 */
function hitComponent(
  component: PrimitiveComponent,
  place: number,
  origin: Triple,
  direction: Triple,
  limit: number,
  isInclusive: boolean,
): Hit | null {
  const { geometry, material } = component;
  if (geometry.data.byteLength === 0) return null;
  const hit: TriangleHit = { distance: limit, triangle: isInclusive ? Infinity : 0, second: 0, third: 0 };
  const front = material.doubleSided ? 0 : 1;
  const deformer = component.skin ?? component.morph;
  if (deformer) {
    const { min, max } = boundsOf([component]);
    if (!hitsBox([...min, ...max], 0, origin, direction, limit)) return null;
    const deformed = deformer.trianglesOf(component);
    if (!deformed) return null;
    const { source, isMirrored } = deformed;
    const isHit = findNearestHit(source, origin, direction, isMirrored ? -front : front, hit);
    return isHit ? { component, place, source, hit, world: null } : null;
  }
  const world = component.worldFromPlace(place, matrix);
  if (!hitsSphere(world, geometry, origin, direction, limit)) return null;
  if (isFlat(world)) return hitFlattened(component, place, world, origin, direction, hit);
  const rows = inverseRows(world);
  if (!rows) return null;
  const toLocal = (vector: Triple): number[] => rows.map((row) => dot(row, vector));
  // The local direction is not normalized, so distances along it equal distances in the world.
  const local = [toLocal(minus(origin, tripleAt(world, 12))), toLocal(direction)] as const;
  const { minimum, maximum } = geometry;
  if (!hitsBox([...minimum, ...maximum], 0, ...local, limit)) return null;
  const source = sourceOf(geometry);
  if (!source) return null;
  const isHit = treeOf(source).intersect(...local, front, hit);
  return isHit ? { component, place, source, hit, world: [...world] } : null;
}

/** Returns the hit of a mesh that its transform flattens, or null. @param limit bound of the hit's distance */
function hitFlattened(
  component: PrimitiveComponent,
  place: number,
  world: readonly number[],
  origin: Triple,
  direction: Triple,
  limit: TriangleHit,
): Hit | null {
  const { geometry, material } = component;
  const { minimum, maximum } = geometry;
  const ray = flattenedRay(world, minimum, maximum, origin, direction);
  const source = ray && sourceOf(geometry);
  if (!ray || !source) return null;
  const { distance } = ray;
  const isWithin = distance < limit.distance || (distance === limit.distance && limit.triangle > 0);
  if (!(distance >= 0 && isWithin)) return null;
  const line = [ray.origin, ray.direction] as const;
  const front = material.doubleSided ? 0 : 1;
  const hit: TriangleHit = { distance: Infinity, triangle: Infinity, second: 0, third: 0 };
  const isHit = treeOf(source).intersect(...line, front, hit);
  hit.distance = distance;
  return isHit ? { component, place, source, hit, world: [...world] } : null;
}

/**
 * Per mesh and ray, without allocating: tests the sphere around a mesh's box, because rays miss most meshes.
 */
function hitsSphere(
  m: readonly number[],
  { minimum, maximum }: Geometry,
  origin: readonly number[],
  direction: readonly number[],
  limit: number,
): boolean {
  let along = 0;
  let squaredOffset = 0;
  let radius = 0;
  for (let row = 0; row < 3; row++) {
    let center = (m[12 + row] as number) - (origin[row] as number);
    for (let axis = 0; axis < 3; axis++) {
      const factor = m[axis * 4 + row] as number;
      center += (factor * ((minimum[axis] as number) + (maximum[axis] as number))) / 2;
    }
    along += center * (direction[row] as number);
    squaredOffset += center * center;
  }
  for (let axis = 0; axis < 3; axis++) {
    const half = ((maximum[axis] as number) - (minimum[axis] as number)) / 2;
    const at = axis * 4;
    const [x, y, z] = [m[at] as number, m[at + 1] as number, m[at + 2] as number];
    const scale = Math.sqrt(x * x + y * y + z * z);
    // With a shear, a corner may lie farther out than the diagonal of the half sides. The sum of the half sides is
    // never too small.
    radius += half * scale;
  }
  const nearest = Math.min(Math.max(along, 0), limit);
  const squaredDistance = squaredOffset - 2 * along * nearest + nearest * nearest;
  return squaredDistance <= radius * radius + 1e-9 * squaredOffset;
}

/**
 * Returns the triangles of a geometry. Each version of the geometry has an object of its own, so that a tree belongs
 * to one version.
 */
function sourceOf(geometry: Geometry): TriangleSource | null {
  const { version } = geometry;
  let cached = sources.get(geometry);
  if (cached?.version !== version) {
    cached = { source: trianglesOf(geometry), version };
    sources.set(geometry, cached);
  }
  return cached.source;
}

function treeOf(source: TriangleSource): TriangleTree {
  let tree = trees.get(source);
  if (!tree) {
    tree = new TriangleTree(source);
    trees.set(source, tree);
  }
  return tree;
}

function resultOf(
  { component, place, source, hit, world }: Hit,
  origin: Triple,
  direction: Triple,
): PickResult {
  const { corners, floats, stride } = source;
  const { distance, triangle, second, third } = hit;
  const vertexOf = (corner: number): number => corners[triangle * 3 + corner] as number;
  const placeOf = (corner: number): Triple => {
    const local = tripleAt(floats, vertexOf(corner) * stride);
    return world
      ? ([0, 1, 2].map((row) => dot(rowAt(world, row), local) + (world[12 + row] as number)) as Triple)
      : local;
  };
  const first = placeOf(0);
  const normal = unit(cross(minus(placeOf(1), first), minus(placeOf(2), first)));
  const side = dot(normal, direction) > 0 ? -1 : 1;
  const actor = component.actor as Actor;
  const siblings = actor.components.filter(
    (each) => each instanceof PrimitiveComponent && each.instance === component.instance,
  );
  const position = origin.map((value, axis) => value + (direction[axis] as number) * distance) as Triple;
  return {
    actor,
    component,
    primitive: siblings.indexOf(component),
    instance: component.instance + place,
    position,
    localPosition: localPoint(component.worldFromPlace(place, []), position),
    normal: normal.map((value) => value * side) as Triple,
    uv: [0, 1].map((axis) => {
      const uv = (corner: number): number => floats[vertexOf(corner) * stride + UV + axis] as number;
      return uv(0) * (1 - second - third) + uv(1) * second + uv(2) * third;
    }) as [number, number],
    distance,
  };
}

function numbersOf(what: string, value: VectorLike): Triple {
  if (typeof value !== 'object' || value === null) {
    throw new OptionError('option-invalid', `The ${what} of raycast has to be three numbers.`);
  }
  const { x, y, z } = value as { x?: unknown; y?: unknown; z?: unknown };
  const numbers = x === undefined ? Array.from(value as ArrayLike<unknown>) : [x, y, z];
  if (numbers.length !== 3) {
    throw new OptionError('option-invalid', `The ${what} of raycast has to be three numbers.`);
  }
  return numbers.map((number, axis) =>
    checkNumber('raycast', `${what}[${axis}]`, number as number, -1e30, 1e30),
  ) as Triple;
}

const minus = (a: Triple, b: Triple): Triple => a.map((value, axis) => value - (b[axis] as number)) as Triple;

/** Returns a row of a column-major matrix, without its translation. */
const rowAt = (m: readonly number[], row: number): Triple => [
  m[row] as number,
  m[row + 4] as number,
  m[row + 8] as number,
];

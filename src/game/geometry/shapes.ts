/**
 * Ready-made geometries: box, plane, and the surfaces of revolution (sphere, cylinder, cone, torus). All are
 * centred on the origin, in metres, with triangles that face outwards. Texture coordinates have (0, 0) at the
 * top left of the image as seen from outside.
 *
 *   a profile, from top to bottom on the outside      │ r, y, normal r, normal y, v     turned about Y:
 *   rows ─► one ring of vertices each ─► quads between neighbouring rows                 u = 0 at −X, 0.25 at +Z
 */

import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, oneOf, optional, text } from '../../core/options/members.js';
import { interleave } from '../../proxy/geometry/interleave.js';
import { Geometry } from './updatable-geometry.js';

/** Checks a length in metres. */
function checkLength(what: string, name: string, value: number, minimum = 1e-9): number {
  return checkNumber(what, name, value, minimum, 1e9);
}

function checkSegments(what: string, name: string, value: number, minimum: number): number {
  return Math.floor(checkNumber(what, name, value, minimum, 1024));
}

function shape(
  name: string,
  positions: number[],
  normals: number[],
  uvs: number[],
  indices: number[],
): Geometry {
  return new Geometry(
    interleave(
      name,
      'triangle-list',
      0,
      [
        [positions, 3, 0],
        [normals, 3, 12],
        [uvs, 2, 24],
      ],
      indices,
    ),
  );
}

const name = optional(text('text'));
const number = optional(anything<number>());
const BOX = { size: optional(anything<number | ArrayLike<number>>()), name };

/** Creates a box whose sides each show the whole texture. `size`: metres, one number or three. Default 1. */
export function boxGeometry(options: Shaped<typeof BOX> = {}): Geometry {
  checkOptions('boxGeometry', options, BOX);
  const { size = 1, name = 'box' } = options;
  const sizes =
    typeof size === 'number'
      ? [size, size, size]
      : checkVector('boxGeometry', 'size', size, 3, 'a number or ');
  for (const length of sizes) checkLength('boxGeometry', 'size', length);
  const positions: number[] = [];
  const normals: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  // Per face: axis and sign of its normal, of the direction of u, and of the direction opposite to v.
  const faces = [
    [0, 1, 2, -1, 1, 1],
    [0, -1, 2, 1, 1, 1],
    [1, 1, 0, 1, 2, -1],
    [1, -1, 0, 1, 2, 1],
    [2, 1, 0, 1, 1, 1],
    [2, -1, 0, -1, 1, 1],
  ] as const;
  for (const [axis, sign, uAxis, uSign, vAxis, vSign] of faces) {
    const first = positions.length / 3;
    for (let corner = 0; corner < 4; corner++) {
      const u = corner & 1;
      const v = corner >> 1;
      const position = [0, 0, 0];
      position[axis] = (sign * (sizes[axis] as number)) / 2;
      position[uAxis] = (u - 0.5) * uSign * (sizes[uAxis] as number);
      position[vAxis] = (0.5 - v) * vSign * (sizes[vAxis] as number);
      positions.push(...position);
      normals.push(...[0, 1, 2].map((index) => (index === axis ? sign : 0)));
      uvs.push(u, v);
    }
    indices.push(first, first + 2, first + 1, first + 1, first + 2, first + 3);
  }
  return shape(name, positions, normals, uvs, indices);
}

const PLANE = {
  /** Metres: one number for both sides, or width and height. Default 1. */
  size: optional(anything<number | ArrayLike<number>>()),
  width: optional(anything<number>()),
  height: optional(anything<number>()),
  /** Number of quads along each side. Default 1. */
  segments: optional(anything<number>()),
  /** Direction of the normal: `z` (default, upright) or `y` (a floor; `height` runs along Z). */
  facing: byDefault(oneOf('y|z'), 'z'),
  name,
};

export type PlaneOptions = Shaped<typeof PLANE>;

/** Creates a flat rectangle. Default 1 × 1, facing +Z. */
export function planeGeometry(options: PlaneOptions = {}): Geometry {
  checkOptions('planeGeometry', options, PLANE);
  const { size = 1, segments = 1, facing = 'z', name = 'plane' } = options;
  const sides =
    typeof size === 'number' ? [size, size] : checkVector('planeGeometry', 'size', size, 2, 'a number or ');
  const { width = sides[0] as number, height = sides[1] as number } = options;
  checkLength('planeGeometry', 'width', width);
  checkLength('planeGeometry', 'height', height);
  const count = checkSegments('planeGeometry', 'segments', segments, 1);
  const isFloor = facing === 'y';
  const positions: number[] = [];
  const normals: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row <= count; row++) {
    for (let column = 0; column <= count; column++) {
      const x = (column / count - 0.5) * width;
      const y = (0.5 - row / count) * height;
      positions.push(x, isFloor ? 0 : y, isFloor ? -y : 0);
      normals.push(0, isFloor ? 1 : 0, isFloor ? 0 : 1);
      uvs.push(column / count, row / count);
    }
  }
  pushQuads(indices, count, 0, count, () => true);
  return shape(name, positions, normals, uvs, indices);
}

const SPHERE = { radius: number, segments: number, name };

/**
 * Creates a sphere. `radius` in metres, default 0.5. `segments` around, default 32, and half as many from
 * pole to pole.
 */
export function sphereGeometry(options: Shaped<typeof SPHERE> = {}): Geometry {
  checkOptions('sphereGeometry', options, SPHERE);
  const { radius = 0.5, segments = 32, name = 'sphere' } = options;
  checkLength('sphereGeometry', 'radius', radius);
  const around = checkSegments('sphereGeometry', 'segments', segments, 3);
  const rings = Math.max(2, around >> 1);
  const rows: number[][] = [];
  for (let ring = 0; ring <= rings; ring++) {
    const angle = (ring / rings) * Math.PI;
    // Exactly 0 at the poles, so that their degenerate triangles are recognized.
    const r = ring % rings ? Math.sin(angle) : 0;
    const y = Math.cos(angle);
    rows.push([r * radius, y * radius, r, y, ring / rings]);
  }
  return revolve(rows, around, name);
}

const CYLINDER = {
  /** Metres, for both ends unless `radiusTop` or `radiusBottom` is set. Default 0.5. */
  radius: optional(anything<number>()),
  radiusTop: optional(anything<number>()),
  radiusBottom: optional(anything<number>()),
  /** Metres along Y. Default 1. */
  height: optional(anything<number>()),
  /** Number of segments around. Default 32. */
  segments: optional(anything<number>()),
  name,
};

export type CylinderOptions = Shaped<typeof CYLINDER>;

/** Creates a closed cylinder, or a truncated cone. */
export function cylinderGeometry(options: CylinderOptions = {}): Geometry {
  checkOptions('cylinderGeometry', options, CYLINDER);
  const { radius = 0.5, radiusTop = radius, radiusBottom = radius } = options;
  const what = 'cylinderGeometry';
  const top = checkLength(what, options.radiusTop === undefined ? 'radius' : 'radiusTop', radiusTop, 0);
  const bottom = checkLength(
    what,
    options.radiusBottom === undefined ? 'radius' : 'radiusBottom',
    radiusBottom,
    0,
  );
  return frustum(what, top, bottom, { name: 'cylinder', ...options });
}

/** Creates a truncated cone, or a cone for a `top` of 0. @param what the function that was called */
function frustum(
  what: string,
  top: number,
  bottom: number,
  { height = 1, segments = 32, name }: { height?: number; segments?: number; name: string },
): Geometry {
  const half = checkLength(what, 'height', height) / 2;
  const slope = Math.hypot(bottom - top, height);
  const normalR = height / slope;
  const normalY = (bottom - top) / slope;
  const rows = [
    [top, half, normalR, normalY, 0],
    [bottom, -half, normalR, normalY, 1],
  ];
  if (top > 0) rows.unshift([0, half, 0, 1, 0], [top, half, 0, 1, 1]);
  if (bottom > 0) rows.push([bottom, -half, 0, -1, 0], [0, -half, 0, -1, 1]);
  return revolve(rows, checkSegments(what, 'segments', segments, 3), name);
}

const CONE = { radius: number, height: number, segments: number, name };

/**
 * Creates a cone with its tip up. `radius` default 0.5, `height` default 1, in metres. `segments` around, default 32.
 */
export function coneGeometry(options: Shaped<typeof CONE> = {}): Geometry {
  checkOptions('coneGeometry', options, CONE);
  const radius = checkLength('coneGeometry', 'radius', options.radius ?? 0.5, 0);
  return frustum('coneGeometry', 0, radius, { name: 'cone', ...options });
}

const TORUS = { radius: number, tube: number, segments: number, tubeSegments: number, name };

/**
 * Creates a ring about Y. `radius`: metres to the middle of the tube, default 0.4. `tube`: radius of the
 * tube, default 0.15. `segments` around Y, default 48. `tubeSegments` around the tube, default 24.
 */
export function torusGeometry(options: Shaped<typeof TORUS> = {}): Geometry {
  checkOptions('torusGeometry', options, TORUS);
  const { radius = 0.4, tube = 0.15, segments = 48, tubeSegments = 24, name = 'torus' } = options;
  checkLength('torusGeometry', 'radius', radius);
  checkLength('torusGeometry', 'tube', tube);
  const rings = checkSegments('torusGeometry', 'tubeSegments', tubeSegments, 3);
  const rows: number[][] = [];
  for (let ring = 0; ring <= rings; ring++) {
    const angle = (ring / rings) * 2 * Math.PI;
    const r = Math.sin(angle);
    const y = Math.cos(angle);
    rows.push([radius + r * tube, y * tube, r, y, ring / rings]);
  }
  return revolve(rows, checkSegments('torusGeometry', 'segments', segments, 3), name);
}

/** Revolves a profile about Y. Coincident rows (a crease) and corners on the axis make no triangles. */
function revolve(rows: readonly (readonly number[])[], segments: number, name: string): Geometry {
  const positions: number[] = [];
  const normals: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  for (const row of rows) {
    const [r, y, normalR, normalY, v] = row as [number, number, number, number, number];
    for (let segment = 0; segment <= segments; segment++) {
      const u = segment / segments;
      const angle = segment === segments ? 0 : u * 2 * Math.PI;
      const x = -Math.cos(angle);
      const z = Math.sin(angle);
      positions.push(x * r, y, z * r);
      normals.push(x * normalR, normalY, z * normalR);
      uvs.push(u, v);
    }
  }
  const radius = (row: number): number => rows[row]?.[0] ?? 0;
  for (let row = 0; row + 1 < rows.length; row++) {
    if (radius(row) === radius(row + 1) && rows[row]?.[1] === rows[row + 1]?.[1]) continue;
    pushQuads(indices, segments, row, row + 1, (isUpper) => radius(isUpper ? row : row + 1) > 0);
  }
  return shape(name, positions, normals, uvs, indices);
}

/**
 * Adds two triangles per quad of a grid with `columns` columns. `has` returns whether to keep the triangle at the upper
 * or lower edge.
 */
function pushQuads(
  indices: number[],
  columns: number,
  fromRow: number,
  toRow: number,
  has: (isUpper: boolean) => boolean,
): void {
  for (let row = fromRow; row < toRow; row++) {
    for (let column = 0; column < columns; column++) {
      const upper = row * (columns + 1) + column;
      const lower = upper + columns + 1;
      if (has(true)) indices.push(upper, lower, upper + 1);
      if (has(false)) indices.push(upper + 1, lower, lower + 1);
    }
  }
}

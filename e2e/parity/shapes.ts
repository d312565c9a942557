// Procedural shapes and images of the parity scenes.
import type { Image, Shape, Triple } from './scene.js';

/** Returns a grid of (columns + 1) × (rows + 1) vertices at `at(u, v)`. Faces point along du × −dv. */
function surface(
  columns: number,
  rows: number,
  at: (u: number, v: number) => { position: Triple; normal: Triple; tangent: Triple },
): Shape {
  const positions: number[] = [];
  const normals: number[] = [];
  const tangents: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      const u = column / columns;
      const v = row / rows;
      const { position, normal, tangent } = at(u, v);
      positions.push(...position);
      normals.push(...normal);
      // v runs down, and the bitangent points up. With du and the normal, the bitangent forms a right-handed
      // frame.
      tangents.push(...tangent, 1);
      uvs.push(u, v);
      if (row === rows || column === columns) continue;
      const first = row * (columns + 1) + column;
      const below = first + columns + 1;
      indices.push(first, below, first + 1, first + 1, below, below + 1);
    }
  }
  return { positions, normals, tangents, uvs, indices };
}

function merge(shapes: readonly Shape[]): Shape {
  let vertices = 0;
  const indices: number[] = [];
  for (const shape of shapes) {
    for (const index of shape.indices) indices.push(index + vertices);
    vertices += shape.positions.length / 3;
  }
  return {
    positions: shapes.flatMap(({ positions }) => positions),
    normals: shapes.flatMap(({ normals }) => normals),
    tangents: shapes.flatMap(({ tangents }) => tangents),
    uvs: shapes.flatMap(({ uvs }) => uvs),
    indices,
  };
}

/** Returns a sphere of radius 1. It omits the triangles at the poles, which have no area. */
export function sphere(columns: number, rows: number): Shape {
  const shape = surface(columns, rows, (u, v) => {
    const longitude = u * 2 * Math.PI;
    const polar = v * Math.PI;
    const normal: Triple = [
      -Math.cos(longitude) * Math.sin(polar),
      Math.cos(polar),
      Math.sin(longitude) * Math.sin(polar),
    ];
    return { position: normal, normal, tangent: [Math.sin(longitude), 0, Math.cos(longitude)] };
  });
  const { positions } = shape;
  const isSame = (a: number, b: number): boolean =>
    Math.hypot(
      positions[a * 3]! - positions[b * 3]!,
      positions[a * 3 + 1]! - positions[b * 3 + 1]!,
      positions[a * 3 + 2]! - positions[b * 3 + 2]!,
    ) < 1e-9;
  const indices: number[] = [];
  for (let index = 0; index < shape.indices.length; index += 3) {
    const [a, b, c] = shape.indices.slice(index, index + 3) as [number, number, number];
    if (!isSame(a, b) && !isSame(b, c) && !isSame(a, c)) indices.push(a, b, c);
  }
  return { ...shape, indices };
}

/**
 * Returns a square of half-extent 1 in the plane of `across` and `up`. It faces across × up, at distance
 * `offset` from the origin.
 */
export function quad(across: Triple, up: Triple, offset: number): Shape {
  const normal: Triple = [
    across[1] * up[2] - across[2] * up[1],
    across[2] * up[0] - across[0] * up[2],
    across[0] * up[1] - across[1] * up[0],
  ];
  return surface(1, 1, (u, v) => {
    const along = (axis: 0 | 1 | 2): number =>
      across[axis] * (2 * u - 1) + up[axis] * (1 - 2 * v) + normal[axis] * offset;
    return { position: [along(0), along(1), along(2)], normal, tangent: across };
  });
}

/** Returns a box of half-extent 1. Each side shows the whole image upright. */
export function box(): Shape {
  const x: Triple = [1, 0, 0];
  const y: Triple = [0, 1, 0];
  const z: Triple = [0, 0, 1];
  const minus = (axis: Triple): Triple => [-axis[0], -axis[1], -axis[2]];
  return merge([
    quad(minus(z), y, 1), // +X
    quad(z, y, 1), // −X
    quad(x, minus(z), 1), // +Y
    quad(x, z, 1), // −Y
    quad(x, y, 1), // +Z
    quad(minus(x), y, 1), // −Z
  ]);
}

/** Returns an upright square that faces +Z. */
export function panel(): Shape {
  return quad([1, 0, 0], [0, 1, 0], 0);
}

/** Returns a horizontal square that faces +Y. */
export function floor(): Shape {
  return quad([1, 0, 0], [0, 0, -1], 0);
}

function image(
  size: number,
  hasMipLevels: boolean,
  at: (u: number, v: number) => readonly [number, number, number, number],
): Image {
  const data = new Uint8Array(size * size * 4);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const texel = at((x + 0.5) / size, (y + 0.5) / size);
      for (let channel = 0; channel < 4; channel++) {
        data[(y * size + x) * 4 + channel] = Math.round(Math.min(1, Math.max(0, texel[channel]!)) * 255);
      }
    }
  }
  return { size, data, hasMipLevels };
}

/**
 * Returns tiles of two hues that change towards the edges, with a white square at the top left. A rotated or
 * mirrored image therefore looks different.
 */
export function tiles(size: number, hasMipLevels: boolean): Image {
  return image(size, hasMipLevels, (u, v) => {
    if (u < 0.25 && v < 0.25) return [1, 1, 1, 1];
    const isOdd = (Math.floor(u * 4) + Math.floor(v * 4)) % 2 === 1;
    return isOdd ? [0.9, 0.35 + 0.4 * v, 0.1, 1] : [0.1, 0.3, 0.35 + 0.6 * u, 1];
  });
}

/**
 * Returns an image of rough and smooth bands (green) across metallic and dielectric bands (blue). Red is
 * unused.
 */
export function roughBands(size: number): Image {
  return image(size, false, (u, v) => [
    0.7,
    0.6 + 0.35 * Math.sin(v * 4 * Math.PI),
    0.5 + 0.5 * Math.sin(u * 4 * Math.PI),
    1,
  ]);
}

/** Returns the normals of 18 round bumps and 18 round hollows, as the squares of a chessboard. */
export function bumps(size: number): Image {
  return image(size, false, (u, v) => {
    const k = 6 * Math.PI;
    const x = -0.6 * Math.cos(u * k) * Math.sin(v * k);
    const y = 0.6 * Math.sin(u * k) * Math.cos(v * k); // v runs down, the normal's y up
    const length = Math.hypot(x, y, 1);
    return [0.5 + (0.5 * x) / length, 0.5 + (0.5 * y) / length, 0.5 + 0.5 / length, 1];
  });
}

/** Returns discs whose alpha falls from 1 in their middle to 0 between them. */
export function discs(size: number): Image {
  return image(size, false, (u, v) => {
    const distance = Math.hypot(((u * 3) % 1) - 0.5, ((v * 3) % 1) - 0.5);
    return [0.9 - 0.6 * u, 0.8 * v + 0.1, 0.25, 1.15 - 1.9 * distance];
  });
}

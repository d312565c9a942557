// Shapes as growing lists of numbers: positions, normals, texture coordinates and linear colours, plus triangles. A
// shape is built around its own origin, then placed with `transformed` and `append`.

export function createShape() {
  return { positions: [], normals: [], uvs: [], colors: [], indices: [] };
}

/** Adds a vertex and returns its index. */
export function addVertex(shape, position, normal, uv = [0, 0], color = [1, 1, 1]) {
  shape.positions.push(...position);
  shape.normals.push(...normal);
  shape.uvs.push(...uv);
  shape.colors.push(...color);
  return shape.positions.length / 3 - 1;
}

export function append(target, source) {
  const first = target.positions.length / 3;
  for (const name of ['positions', 'normals', 'uvs', 'colors']) {
    for (const value of source[name]) target[name].push(value);
  }
  for (const index of source.indices) target.indices.push(first + index);
  return target;
}

/** Returns the rotation quaternion of Euler angles in radians, applied x, then y, then z. */
export function eulerRotation(x, y, z) {
  const [cx, sx, cy, sy, cz, sz] = [x, y, z].flatMap((angle) => [Math.cos(angle / 2), Math.sin(angle / 2)]);
  return [
    sx * cy * cz - cx * sy * sz,
    cx * sy * cz + sx * cy * sz,
    cx * cy * sz - sx * sy * cz,
    cx * cy * cz + sx * sy * sz,
  ];
}

function rotated([x, y, z, w], [vx, vy, vz]) {
  const [tx, ty, tz] = [2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)];
  return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
}

/** Returns a transformed copy. The scale is one number. */
export function transformed(shape, { position = [0, 0, 0], rotation = [0, 0, 0, 1], scale = 1 }) {
  const copy = createShape();
  copy.uvs.push(...shape.uvs);
  copy.colors.push(...shape.colors);
  copy.indices.push(...shape.indices);
  for (let i = 0; i < shape.positions.length; i += 3) {
    const moved = rotated(
      rotation,
      shape.positions.slice(i, i + 3).map((value) => value * scale),
    );
    copy.positions.push(...moved.map((value, axis) => value + position[axis]));
    copy.normals.push(...rotated(rotation, shape.normals.slice(i, i + 3)));
  }
  return copy;
}

/** Replaces the normals by the mean of the triangles around each vertex. Vertices at the same place share a normal. */
export function smoothNormals(shape) {
  const { positions, indices, normals } = shape;
  const sums = new Map();
  const keyOf = (index) =>
    positions
      .slice(index * 3, index * 3 + 3)
      .map((value) => Math.round(value * 1e4))
      .join();
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) =>
      positions.slice(indices[i + corner] * 3, indices[i + corner] * 3 + 3),
    );
    const u = b.map((value, axis) => value - a[axis]);
    const v = c.map((value, axis) => value - a[axis]);
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    for (let corner = 0; corner < 3; corner++) {
      const key = keyOf(indices[i + corner]);
      const sum = sums.get(key) ?? [0, 0, 0];
      sums.set(
        key,
        sum.map((value, axis) => value + normal[axis]),
      );
    }
  }
  for (let index = 0; index < positions.length / 3; index++) {
    const sum = sums.get(keyOf(index)) ?? [0, 1, 0];
    const length = Math.hypot(...sum) || 1;
    for (let axis = 0; axis < 3; axis++) normals[index * 3 + axis] = sum[axis] / length;
  }
  return shape;
}

/** Gives every triangle vertices of its own, so that it is shaded flat. */
export function faceted(shape) {
  const result = createShape();
  for (const index of shape.indices) {
    result.indices.push(
      addVertex(
        result,
        shape.positions.slice(index * 3, index * 3 + 3),
        [0, 1, 0],
        shape.uvs.slice(index * 2, index * 2 + 2),
        shape.colors.slice(index * 3, index * 3 + 3),
      ),
    );
  }
  for (let i = 0; i < result.indices.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) =>
      result.positions.slice((i + corner) * 3, (i + corner) * 3 + 3),
    );
    const u = b.map((value, axis) => value - a[axis]);
    const v = c.map((value, axis) => value - a[axis]);
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...normal) || 1;
    for (let corner = 0; corner < 3; corner++) {
      for (let axis = 0; axis < 3; axis++) result.normals[(i + corner) * 3 + axis] = normal[axis] / length;
    }
  }
  return result;
}

/** Returns a grid of `columns` × `rows` cells. `at(u, v)` returns `{ position, uv?, color? }` for u, v from 0 to 1. */
export function grid(columns, rows, at) {
  const shape = createShape();
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      const { position, uv, color } = at(column / columns, row / rows);
      addVertex(shape, position, [0, 1, 0], uv ?? [column / columns, row / rows], color);
    }
  }
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const first = row * (columns + 1) + column;
      const below = first + columns + 1;
      shape.indices.push(first, below, first + 1, first + 1, below, below + 1);
    }
  }
  return smoothNormals(shape);
}

/** Returns a profile of `[radius, height]` pairs, from the top down, rotated around the Y axis. */
export function lathe(profile, segments, color) {
  return grid(segments, profile.length - 1, (u, v) => {
    const [radius, height] = profile[Math.round(v * (profile.length - 1))];
    const angle = -u * 2 * Math.PI;
    return { position: [radius * Math.cos(angle), height, radius * Math.sin(angle)], color };
  });
}

/** Returns a sphere with its poles on the Y axis. */
export function sphere(radius, columns, rows, color) {
  return grid(columns, rows, (u, v) => {
    const [angle, polar] = [-u * 2 * Math.PI, v * Math.PI];
    const ring = radius * Math.sin(polar);
    return { position: [ring * Math.cos(angle), radius * Math.cos(polar), ring * Math.sin(angle)], color };
  });
}

/** Returns a tube along points, with a radius per point. Texture coordinates run along the tube in metres. */
export function tube(points, radii, sides, color) {
  const along = [0];
  for (let i = 1; i < points.length; i++) {
    along.push(along[i - 1] + Math.hypot(...points[i].map((value, axis) => value - points[i - 1][axis])));
  }
  const frames = points.map((point, i) => {
    const before = points[Math.max(i - 1, 0)];
    const after = points[Math.min(i + 1, points.length - 1)];
    const forward = normalized(after.map((value, axis) => value - before[axis]));
    const reference = Math.abs(forward[1]) > 0.9 ? [0, 0, 1] : [0, 1, 0];
    const side = normalized(cross(forward, reference));
    return { point, side, up: cross(side, forward) };
  });
  return grid(sides, points.length - 1, (u, v) => {
    const i = Math.round(v * (points.length - 1));
    const { point, side, up } = frames[i];
    const [c, s] = [Math.cos(u * 2 * Math.PI) * radii[i], Math.sin(u * 2 * Math.PI) * radii[i]];
    return {
      position: point.map((value, axis) => value + side[axis] * c + up[axis] * s),
      uv: [u, along[i]],
      color,
    };
  });
}

/**
 * Returns a hewn beam along Y from 0 to `height`: eight-sided (a box with chamfered edges), with capped ends. It is
 * straight by default. `wobble(y)` returns a sideways offset, which makes it crooked.
 */
export function beam(
  width,
  depth,
  height,
  { chamfer = 0.012, rings = 5, wobble = () => [0, 0], point = 0, uvStart = 0 } = {},
) {
  const [w, d] = [width / 2, depth / 2];
  const outline = [
    [w, -d + chamfer],
    [w, d - chamfer],
    [w - chamfer, d],
    [-w + chamfer, d],
    [-w, d - chamfer],
    [-w, -d + chamfer],
    [-w + chamfer, -d],
    [w - chamfer, -d],
  ];
  const shape = createShape();
  const girth = 2 * (width + depth);
  // Flat sides, each with normals of its own. The chamfers are sides, too.
  for (let side = 0; side < outline.length; side++) {
    const [from, to] = [outline[side], outline[(side + 1) % outline.length]];
    const across = (side / outline.length) * girth;
    const strip = grid(1, rings, (u, v) => {
      const [offsetX, offsetZ] = wobble(v * height);
      const corner = u < 0.5 ? from : to;
      return {
        position: [corner[0] + offsetX, v * height, corner[1] + offsetZ],
        uv: [uvStart + (across + u * Math.hypot(to[0] - from[0], to[1] - from[1])) * 2, v * height * 0.8],
      };
    });
    append(shape, strip);
  }
  for (const [y, normalY] of [
    [height, 1],
    [0, -1],
  ]) {
    const [offsetX, offsetZ] = wobble(y);
    const cap = createShape();
    const tip = y > 0 ? point : 0;
    const centre = addVertex(cap, [offsetX, y + tip, offsetZ], [0, normalY, 0], [uvStart, 0.1]);
    const rim = outline.map(([x, z]) =>
      addVertex(cap, [x + offsetX, y, z + offsetZ], [0, normalY, 0], [uvStart + x * 2, 0.1 + z]),
    );
    for (let i = 0; i < rim.length; i++) {
      const next = rim[(i + 1) % rim.length];
      cap.indices.push(...(normalY > 0 ? [centre, next, rim[i]] : [centre, rim[i], next]));
    }
    append(shape, tip > 0 ? faceted(cap) : cap);
  }
  return shape;
}

export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function normalized(vector) {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/**
 * Adds the back of every triangle, with the normals of its front. Thin leaves let light through; the flipped normals of
 * a double-sided material would leave half of them black.
 */
export function bothFaces(shape) {
  const { indices } = shape;
  for (let i = 0, count = indices.length; i < count; i += 3)
    indices.push(indices[i], indices[i + 2], indices[i + 1]);
  return shape;
}

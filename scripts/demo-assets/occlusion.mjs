// Bakes ambient occlusion into vertex colours. Rays are cast from each vertex against all triangles of the scene, which
// lie in a tree of boxes. The share of hidden sky darkens the colours. Dark hollows and bright ridges make shapes
// readable.
import { createRandom } from './random.mjs';

const LEAF_TRIANGLES = 6;

function buildTree(triangles, centres, order) {
  const minimum = [Infinity, Infinity, Infinity];
  const maximum = [-Infinity, -Infinity, -Infinity];
  for (const triangle of order) {
    for (let i = 0; i < 9; i++) {
      const value = triangles[triangle * 9 + i];
      minimum[i % 3] = Math.min(minimum[i % 3], value);
      maximum[i % 3] = Math.max(maximum[i % 3], value);
    }
  }
  if (order.length <= LEAF_TRIANGLES) return { minimum, maximum, order };
  const extent = maximum.map((value, axis) => value - minimum[axis]);
  const axis = extent.indexOf(Math.max(...extent));
  const sorted = [...order].sort((a, b) => centres[a * 3 + axis] - centres[b * 3 + axis]);
  const middle = sorted.length >> 1;
  return {
    minimum,
    maximum,
    children: [
      buildTree(triangles, centres, sorted.slice(0, middle)),
      buildTree(triangles, centres, sorted.slice(middle)),
    ],
  };
}

function hitsBox({ minimum, maximum }, origin, inverse, limit) {
  let near = 0;
  let far = limit;
  for (let axis = 0; axis < 3; axis++) {
    const a = (minimum[axis] - origin[axis]) * inverse[axis];
    const b = (maximum[axis] - origin[axis]) * inverse[axis];
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far;
}

/** Tests a ray against a triangle (Möller and Trumbore), from both sides. */
function hitsTriangle(triangles, triangle, o, d, limit) {
  const t = triangle * 9;
  const [ax, ay, az] = [triangles[t], triangles[t + 1], triangles[t + 2]];
  const [ux, uy, uz] = [triangles[t + 3] - ax, triangles[t + 4] - ay, triangles[t + 5] - az];
  const [vx, vy, vz] = [triangles[t + 6] - ax, triangles[t + 7] - ay, triangles[t + 8] - az];
  const [px, py, pz] = [d[1] * vz - d[2] * vy, d[2] * vx - d[0] * vz, d[0] * vy - d[1] * vx];
  const determinant = ux * px + uy * py + uz * pz;
  if (Math.abs(determinant) < 1e-12) return false;
  const [sx, sy, sz] = [o[0] - ax, o[1] - ay, o[2] - az];
  const u = (sx * px + sy * py + sz * pz) / determinant;
  if (u < 0 || u > 1) return false;
  const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux];
  const v = (d[0] * qx + d[1] * qy + d[2] * qz) / determinant;
  if (v < 0 || u + v > 1) return false;
  const distance = (vx * qx + vy * qy + vz * qz) / determinant;
  return distance > 1e-4 && distance < limit;
}

function isHit(node, triangles, origin, direction, inverse, limit) {
  if (!hitsBox(node, origin, inverse, limit)) return false;
  if (node.order) return node.order.some((t) => hitsTriangle(triangles, t, origin, direction, limit));
  return node.children.some((child) => isHit(child, triangles, origin, direction, inverse, limit));
}

/**
 * Darkens the colours of `receivers` by the share of the sky that `blockers` hide above each vertex.
 *
 * @param reach largest distance of a blocker in metres
 * @param strength 1 makes a vertex without any visible sky black
 */
export function bakeOcclusion(receivers, blockers, { rays = 64, reach = 1.2, strength = 0.85 } = {}) {
  const triangles = new Float64Array(
    blockers.flatMap(({ positions, indices }) => indices.flatMap((i) => positions.slice(i * 3, i * 3 + 3))),
  );
  const count = triangles.length / 9;
  const centres = Float64Array.from({ length: count * 3 }, (_, i) => {
    const first = Math.floor(i / 3) * 9 + (i % 3);
    return triangles[first] + triangles[first + 3] + triangles[first + 6];
  });
  const tree = buildTree(triangles, centres, [...Array(count).keys()]);
  const random = createRandom(7);
  const directions = Array.from({ length: rays }, () => {
    const [z, angle] = [random.between(-1, 1), random.between(0, 2 * Math.PI)];
    const ring = Math.sqrt(1 - z * z);
    return [ring * Math.cos(angle), ring * Math.sin(angle), z];
  });
  for (const { positions, normals, colors } of receivers) {
    for (let i = 0; i < positions.length; i += 3) {
      const normal = normals.slice(i, i + 3);
      const origin = positions.slice(i, i + 3).map((value, axis) => value + normal[axis] * 0.004);
      let weight = 0;
      let open = 0;
      for (const ray of directions) {
        // The weight of a ray is its cosine. Directions lie evenly on the sphere, and are flipped to the vertex's side.
        const cosine = ray[0] * normal[0] + ray[1] * normal[1] + ray[2] * normal[2];
        const direction = cosine < 0 ? ray.map((value) => -value) : ray;
        weight += Math.abs(cosine);
        const inverse = direction.map((value) => 1 / (value || 1e-12));
        if (!isHit(tree, triangles, origin, direction, inverse, reach)) open += Math.abs(cosine);
      }
      const factor = 1 - strength * (1 - open / weight);
      for (let channel = 0; channel < 3; channel++) colors[i + channel] *= factor;
    }
  }
}

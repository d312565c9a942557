// Noise on a grid of triangles (S. Gustavson, "Simplex noise demystified", 2005). From −1 to 1.

fn simplexNoise2(point: vec2f) -> f32 {
  // (√3 − 1) / 2 skews the triangles to halves of squares, and (3 − √3) / 6 skews them back.
  let back = 0.21132487;
  let corner = floor(point + (point.x + point.y) * 0.36602540);
  let first = point - corner + (corner.x + corner.y) * back;
  let stride = select(vec2f(0.0, 1.0), vec2f(1.0, 0.0), first.x > first.y);
  let second = first - stride + back;
  let third = first - 1.0 + 2.0 * back;
  let reach = max(vec3f(0.5) - vec3f(dot(first, first), dot(second, second), dot(third, third)), vec3f(0.0));
  let cell = vec2i(corner);
  let slopes = vec3f(
    latticeSlope2(cell, first),
    latticeSlope2(cell + vec2i(stride), second),
    latticeSlope2(cell + vec2i(1, 1), third)
  );
  let squared = reach * reach;
  // The largest sum is 1 / 99.204.
  return dot(squared * squared, slopes) * 99.2;
}

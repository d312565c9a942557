// Noise on a grid of tetrahedra (S. Gustavson, "Simplex noise demystified", 2005). From −1 to 1.

fn simplexNoise3(point: vec3f) -> f32 {
  // 1/3 skews the tetrahedra to sixths of cubes, and 1/6 skews them back.
  let back = 1.0 / 6.0;
  let corner = floor(point + (point.x + point.y + point.z) / 3.0);
  let first = point - corner + (corner.x + corner.y + corner.z) * back;
  // The tetrahedron steps along the axes from the largest offset to the smallest.
  let isLarger = step(first.yzx, first.xyz);
  let isSmaller = 1.0 - isLarger;
  let step1 = min(isLarger, isSmaller.zxy);
  let step2 = max(isLarger, isSmaller.zxy);
  let second = first - step1 + back;
  let third = first - step2 + 2.0 * back;
  let fourth = first - 1.0 + 3.0 * back;
  let squares = vec4f(dot(first, first), dot(second, second), dot(third, third), dot(fourth, fourth));
  let reach = max(vec4f(0.5) - squares, vec4f(0.0));
  let cell = vec3i(corner);
  let slopes = vec4f(
    latticeSlope3(cell, first),
    latticeSlope3(cell + vec3i(step1), second),
    latticeSlope3(cell + vec3i(step2), third),
    latticeSlope3(cell + vec3i(1, 1, 1), fourth)
  );
  let squared = reach * reach;
  // The largest sum is 1 / 76.881.
  return dot(squared * squared, slopes) * 76.88;
}

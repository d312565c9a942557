// Perlin's noise with the curve and directions of K. Perlin, "Improving Noise", SIGGRAPH 2002. From −1 to 1; 0 at
// integer positions.

fn gradientNoise3(point: vec3f) -> f32 {
  let corner = floor(point);
  let cell = vec3i(corner);
  let share = point - corner;
  let curve = share * share * share * (share * (share * 6.0 - 15.0) + 10.0);
  let near = slopeLayer3(cell, share, curve.xy);
  let far = slopeLayer3(cell + vec3i(0, 0, 1), share - vec3f(0.0, 0.0, 1.0), curve.xy);
  // The largest mix of slopes is 1.0364.
  return mix(near, far, curve.z) * 0.9649;
}

fn slopeLayer3(cell: vec3i, share: vec3f, curve: vec2f) -> f32 {
  let below = mix(
    latticeSlope3(cell, share),
    latticeSlope3(cell + vec3i(1, 0, 0), share - vec3f(1.0, 0.0, 0.0)),
    curve.x
  );
  let above = mix(
    latticeSlope3(cell + vec3i(0, 1, 0), share - vec3f(0.0, 1.0, 0.0)),
    latticeSlope3(cell + vec3i(1, 1, 0), share - vec3f(1.0, 1.0, 0.0)),
    curve.x
  );
  return mix(below, above, curve.y);
}

// Perlin's noise with the curve of K. Perlin, "Improving Noise", SIGGRAPH 2002. From −1 to 1; 0 at integer positions.

fn gradientNoise2(point: vec2f) -> f32 {
  let corner = floor(point);
  let cell = vec2i(corner);
  let share = point - corner;
  let curve = share * share * share * (share * (share * 6.0 - 15.0) + 10.0);
  let below = mix(
    latticeSlope2(cell, share),
    latticeSlope2(cell + vec2i(1, 0), share - vec2f(1.0, 0.0)),
    curve.x
  );
  let above = mix(
    latticeSlope2(cell + vec2i(0, 1), share - vec2f(0.0, 1.0)),
    latticeSlope2(cell + vec2i(1, 1), share - vec2f(1.0, 1.0)),
    curve.x
  );
  // The largest mix of slopes is √½.
  return mix(below, above, curve.y) * 1.41421356;
}

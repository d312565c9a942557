// Random values at integer positions, interpolated. From 0 to 1.

fn valueNoise2(point: vec2f) -> f32 {
  let corner = floor(point);
  let cell = vec2i(corner);
  let share = point - corner;
  let curve = share * share * share * (share * (share * 6.0 - 15.0) + 10.0);
  return mix(
    mix(latticeValue2(cell), latticeValue2(cell + vec2i(1, 0)), curve.x),
    mix(latticeValue2(cell + vec2i(0, 1)), latticeValue2(cell + vec2i(1, 1)), curve.x),
    curve.y
  );
}

fn latticeValue2(cell: vec2i) -> f32 {
  return unitFloat(hash2(bitcast<vec2u>(cell)));
}

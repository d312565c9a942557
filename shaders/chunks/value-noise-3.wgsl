// Random values at integer positions, interpolated. From 0 to 1.

fn valueNoise3(point: vec3f) -> f32 {
  let corner = floor(point);
  let cell = vec3i(corner);
  let share = point - corner;
  let curve = share * share * share * (share * (share * 6.0 - 15.0) + 10.0);
  return mix(latticeLayer3(cell, curve.xy), latticeLayer3(cell + vec3i(0, 0, 1), curve.xy), curve.z);
}

fn latticeLayer3(cell: vec3i, curve: vec2f) -> f32 {
  return mix(
    mix(latticeValue3(cell), latticeValue3(cell + vec3i(1, 0, 0)), curve.x),
    mix(latticeValue3(cell + vec3i(0, 1, 0)), latticeValue3(cell + vec3i(1, 1, 0)), curve.x),
    curve.y
  );
}

fn latticeValue3(cell: vec3i) -> f32 {
  return unitFloat(hash3(bitcast<vec3u>(cell)));
}

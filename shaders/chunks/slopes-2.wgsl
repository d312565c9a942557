// Slope of a lattice point at an offset from it: the dot product with one of eight directions of unit length.

fn latticeSlope2(cell: vec2i, offset: vec2f) -> f32 {
  let bits = hash2(bitcast<vec2u>(cell));
  let x = select(offset.x, -offset.x, (bits & 1u) != 0u);
  let y = select(offset.y, -offset.y, (bits & 2u) != 0u);
  return select(select(x, y, (bits & 8u) != 0u), (x + y) * 0.70710678, (bits & 4u) != 0u);
}

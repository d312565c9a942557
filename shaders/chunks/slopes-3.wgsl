// Slope of a lattice point at an offset from it: the dot product with one of twelve directions to the edges of a cube
// (K. Perlin, "Improving Noise", SIGGRAPH 2002).

fn latticeSlope3(cell: vec3i, offset: vec3f) -> f32 {
  let bits = hash3(bitcast<vec3u>(cell));
  let edge = bits & 15u;
  let first = select(offset.y, offset.x, edge < 8u);
  let second = select(select(offset.z, offset.x, edge == 12u || edge == 14u), offset.y, edge < 4u);
  return select(first, -first, (edge & 1u) != 0u) + select(second, -second, (edge & 2u) != 0u);
}

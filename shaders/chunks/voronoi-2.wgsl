// Cells around random points, one point per square (S. Worley, "A Cellular Texture Basis Function", SIGGRAPH 1996).
// Returns the distance to the nearest point (0 to √2), the distance to the second nearest point in the nine squares
// around, and a random number of the cell (0 to below 1).

fn voronoi2(point: vec2f) -> vec3f {
  let corner = floor(point);
  var nearest = 8.0;
  var second = 8.0;
  var cellNumber = 0.0;
  for (var y = -1; y <= 1; y++) {
    for (var x = -1; x <= 1; x++) {
      let square = corner + vec2f(f32(x), f32(y));
      let bits = hash2(bitcast<vec2u>(vec2i(square)));
      let next = hash1(bits);
      let offset = square + vec2f(unitFloat(bits), unitFloat(next)) - point;
      let squared = dot(offset, offset);
      second = min(second, max(nearest, squared));
      cellNumber = select(cellNumber, unitFloat(hash1(next)), squared < nearest);
      nearest = min(nearest, squared);
    }
  }
  return vec3f(sqrt(nearest), sqrt(second), cellNumber);
}

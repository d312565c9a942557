// Cells around random points, one point per cube (S. Worley, "A Cellular Texture Basis Function", SIGGRAPH 1996).
// Returns the distance to the nearest point (0 to √3), the distance to the second nearest point in the 27 cubes around,
// and a random number of the cell (0 to below 1).

fn voronoi3(point: vec3f) -> vec3f {
  let corner = floor(point);
  var nearest = 12.0;
  var second = 12.0;
  var cellNumber = 0.0;
  for (var z = -1; z <= 1; z++) {
    for (var y = -1; y <= 1; y++) {
      for (var x = -1; x <= 1; x++) {
        let cube = corner + vec3f(f32(x), f32(y), f32(z));
        let bits = hash3(bitcast<vec3u>(vec3i(cube)));
        let next = hash1(bits);
        let last = hash1(next);
        let offset = cube + vec3f(unitFloat(bits), unitFloat(next), unitFloat(last)) - point;
        let squared = dot(offset, offset);
        second = min(second, max(nearest, squared));
        cellNumber = select(cellNumber, unitFloat(hash1(last)), squared < nearest);
        nearest = min(nearest, squared);
      }
    }
  }
  return vec3f(sqrt(nearest), sqrt(second), cellNumber);
}

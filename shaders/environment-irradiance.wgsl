// Computes irradiance from a small mip level of the environment, without the sun. The result is nine coefficients of
// spherical harmonics, divided by π (Ramamoorthi and Hanrahan 2001). Each invocation computes one coefficient. The
// shader runs once per environment.

const SIZE = 16u;

@group(0) @binding(0) var cube: texture_2d_array<f32>;
@group(0) @binding(1) var<storage, read_write> result: Irradiance;

@compute @workgroup_size(9)
fn project(@builtin(local_invocation_index) index: u32) {
  var sum = vec3f(0.0);
  var weights = 0.0;
  for (var layer = 0u; layer < 6u; layer++) {
    for (var texel = 0u; texel < SIZE * SIZE; texel++) {
      let place = vec2u(texel % SIZE, texel / SIZE);
      let p = (vec2f(place) + 0.5) * (2.0 / f32(SIZE)) - 1.0;
      let squared = 1.0 + dot(p, p);
      let weight = 1.0 / (squared * sqrt(squared));
      let direction = directionOf(layer, p) * inverseSqrt(squared);
      sum += textureLoad(cube, place, layer, 0).rgb * (weight * harmonic(index, direction));
      weights += weight;
    }
  }
  let band = select(select(0.25, 2.0 / 3.0, index < 4u), 1.0, index == 0u);
  result.coefficients[index] = vec4f(sum * (band * 4.0 * 3.14159265358979 / weights), 0.0);
}

fn harmonic(index: u32, n: vec3f) -> f32 {
  switch index {
    case 0u: { return 0.282095; }
    case 1u: { return 0.488603 * n.y; }
    case 2u: { return 0.488603 * n.z; }
    case 3u: { return 0.488603 * n.x; }
    case 4u: { return 1.092548 * n.x * n.y; }
    case 5u: { return 1.092548 * n.y * n.z; }
    case 6u: { return 0.315392 * (3.0 * n.z * n.z - 1.0); }
    case 7u: { return 1.092548 * n.x * n.z; }
    default: { return 0.546274 * (n.x * n.x - n.y * n.y); }
  }
}

// Draws a face of the cube from a source cube. The faces of the source cube lie as in WebGPU, the first towards +X.
// The source cube may be rotated.

@group(0) @binding(2) var image: texture_cube<f32>;

fn rotated(direction: vec3f) -> vec3f {
  let axis = face.rotation.xyz;
  let twice = 2.0 * cross(axis, direction);
  return direction + face.rotation.w * twice + cross(axis, twice);
}

@fragment
fn drawFace(input: Corner) -> @location(0) vec4f {
  // When the source cube is finer, each texel is the average of a grid of samples.
  let finer = f32(textureDimensions(image).x) / face.size;
  let steps = u32(clamp(ceil(finer), 1.0, 8.0));
  var sum = vec3f(0.0);
  for (var row = 0u; row < steps; row++) {
    for (var column = 0u; column < steps; column++) {
      let within = (vec2f(f32(column), f32(row)) + 0.5) / f32(steps) - 0.5;
      let direction = rotated(directionAt(input.position + within * (2.0 / face.size)));
      // Blocks of signed compressed formats may hold negative radiance.
      sum += max(textureSampleLevel(image, sourceSampler, direction, 0.0).rgb, vec3f(0.0));
    }
  }
  return vec4f(sum / f32(steps * steps), 1.0);
}

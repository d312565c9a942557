// Draws a face of the cube from an equirectangular image, whose centre lies towards +X and whose top row is up.

const PI = 3.14159265358979;

@group(0) @binding(2) var image: texture_2d<f32>;

@fragment
fn drawFace(input: Corner) -> @location(0) vec4f {
  // When the image is finer than the face, each texel is the average of a grid of samples.
  let finer = f32(textureDimensions(image).x) / (4.0 * face.size);
  let steps = u32(clamp(ceil(finer), 1.0, 8.0));
  var sum = vec3f(0.0);
  for (var row = 0u; row < steps; row++) {
    for (var column = 0u; column < steps; column++) {
      let within = (vec2f(f32(column), f32(row)) + 0.5) / f32(steps) - 0.5;
      sum += radianceFrom(normalize(directionAt(input.position + within * (2.0 / face.size))));
    }
  }
  return vec4f(sum / f32(steps * steps), 1.0);
}

fn radianceFrom(direction: vec3f) -> vec3f {
  let u = atan2(direction.z, direction.x) / (2.0 * PI) + 0.5;
  let v = acos(clamp(direction.y, -1.0, 1.0)) / PI;
  return textureSampleLevel(image, sourceSampler, vec2f(u, v), 0.0).rgb;
}

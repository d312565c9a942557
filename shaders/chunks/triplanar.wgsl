// Samples a texture along the three axes, and mixes the results by the normal (R. Geiss, GPU Gems 3, chapter 1, 2007).
// One repetition of the texture is one unit of `position`. `sharpness` is 1 for wide transitions, 8 for narrow ones.
// Only `surface` may call it, outside of branches that differ from pixel to pixel.

fn triplanar(image: texture_2d<f32>, imageSampler: sampler, position: vec3f, normal: vec3f, sharpness: f32) -> vec4f {
  let weights = pow(abs(normal) + 1e-4, vec3f(sharpness));
  let shares = weights / (weights.x + weights.y + weights.z);
  let alongX = textureSample(image, imageSampler, vec2f(position.z, -position.y));
  let alongY = textureSample(image, imageSampler, position.xz);
  let alongZ = textureSample(image, imageSampler, vec2f(position.x, -position.y));
  return alongX * shares.x + alongY * shares.y + alongZ * shares.z;
}

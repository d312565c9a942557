// The texture of particles. Joined to particles-drawing.wgsl; without a texture, particles are discs.

@group(2) @binding(0) var picture: texture_2d<f32>;
@group(2) @binding(1) var pictureSampler: sampler;

fn pictureAt(uv: vec2f) -> vec4f {
  return textureSample(picture, pictureSampler, uv);
}

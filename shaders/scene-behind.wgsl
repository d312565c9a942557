// The picture behind glass, as mip levels of everything that was drawn before (src/render/transmission/).

@group(0) @binding(18) var sceneTexture: texture_2d<f32>;
@group(0) @binding(19) var sceneSampler: sampler;

// Width in texels of the picture for which the blur is defined. Narrower pictures are blurred by the same share of
// their width.
const BLUR_WIDTH = 1024.0;

// Returns the light and the coverage of the picture where a ray leaves the glass.
fn lightBehind(position: vec3f, direction: vec3f, blur: f32) -> vec4f {
  let clip = view.clipFromWorld * vec4f(position, 1.0);
  let uv = clip.xy / max(clip.w, 1e-6) * vec2f(0.5, -0.5) + 0.5;
  let finest = max(view.pictureWidth, BLUR_WIDTH);
  let level = blur * log2(finest) + log2(view.pictureWidth / finest);
  return clearedOfFog(textureSampleLevel(sceneTexture, sceneSampler, uv, max(level, 0.0)));
}

// Draws a table of how surfaces reflect uniform light, by n·v (rightwards) and perceptual roughness (downwards). A
// texel holds scale and offset of the reflectance at normal incidence (Karis 2013), with Smith's height-correlated
// shadowing.

const PI = 3.14159265358979;
const SAMPLES = 128u;
const SIZE = 64.0;

@fragment
fn integrate(@builtin(position) pixel: vec4f) -> @location(0) vec4f {
  let nDotV = pixel.x / SIZE;
  let roughness = pixel.y / SIZE;
  let alpha = roughness * roughness;
  let toViewer = vec3f(sqrt(max(1.0 - nDotV * nDotV, 0.0)), 0.0, nDotV);
  var result = vec2f(0.0);
  for (var index = 0u; index < SAMPLES; index++) {
    let point = vec2f((f32(index) + 0.5) / f32(SAMPLES), f32(reverseBits(index)) * 2.3283064365386963e-10);
    // The sine is not computed from the cosine. Adapters round division differently, and a cosine rounded above 1 has
    // no sine.
    let spread = 1.0 + (alpha * alpha - 1.0) * point.x;
    let cosine = sqrt((1.0 - point.x) / spread);
    let sine = alpha * sqrt(point.x / spread);
    let angle = 2.0 * PI * point.y;
    let halfway = vec3f(sine * cos(angle), sine * sin(angle), cosine);
    let vDotH = dot(toViewer, halfway);
    let nDotL = 2.0 * vDotH * cosine - nDotV;
    if nDotL <= 0.0 || vDotH <= 0.0 {
      continue;
    }
    let squared = alpha * alpha;
    let masking = nDotL * sqrt(nDotV * nDotV * (1.0 - squared) + squared);
    let shadowing = nDotV * sqrt(nDotL * nDotL * (1.0 - squared) + squared);
    let visible = 2.0 * nDotL * vDotH / (max(masking + shadowing, 1e-6) * cosine);
    let grazing = pow(max(1.0 - vDotH, 0.0), 5.0);
    result += vec2f(1.0 - grazing, grazing) * visible;
  }
  return vec4f(result / f32(SAMPLES), 0.0, 1.0);
}

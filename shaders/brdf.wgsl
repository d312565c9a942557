// The metallic-roughness material of glTF 2.0, appendix B, for one direction of light. All vectors have unit length.
// Terms that do not depend on the light are computed once per pixel.

const PI = 3.14159265358979;
// Reflectance at normal incidence for an index of refraction of 1.5.
const DIELECTRIC_REFLECTANCE = 0.04;
// A smaller roughness would give a point light a highlight that half floats can't hold.
const SMALLEST_ROUGHNESS = 0.0525;

struct Surface {
  // Diffuse colour divided by π, times the share of head-on light that enters a dielectric (1 − 0.04).
  diffuseColor: vec3f,
  // Fourth power of the perceptual roughness.
  alphaSquared: f32,
  specularColor: vec3f,
  nDotV: f32,
  normal: vec3f,
  masking: f32,
  toViewer: vec3f,
}

fn fifthPower(base: f32) -> f32 {
  let squared = base * base;
  return squared * squared * base;
}

fn surfaceOf(baseColor: vec3f, metallic: f32, roughness: f32, normal: vec3f, toViewer: vec3f) -> Surface {
  let alpha = roughness * roughness;
  let alphaSquared = alpha * alpha;
  let nDotV = dot(normal, toViewer);
  return Surface(
    // Only the dielectric part has a diffuse layer, below its own Fresnel reflection.
    baseColor * ((1.0 - metallic) * (1.0 - DIELECTRIC_REFLECTANCE) / PI), alphaSquared,
    mix(vec3f(DIELECTRIC_REFLECTANCE), baseColor, metallic), nDotV, normal, smithTerm(nDotV, alphaSquared), toViewer
  );
}

fn smithTerm(cosine: f32, alphaSquared: f32) -> f32 {
  return sqrt(cosine * cosine * (1.0 - alphaSquared) + alphaSquared);
}

// Returns the light that is reflected to the viewer when `intensity` arrives from `toLight`.
fn reflectedLight(surface: Surface, toLight: vec3f, intensity: vec3f) -> vec3f {
  // Surfaces that face away have no branch of their own, because adapters without real branches would gain nothing.
  let cosine = dot(surface.normal, toLight);
  let nDotL = max(cosine, 0.0);
  // A mapped normal may face away from the viewer. Appendix B takes the magnitude.
  let nDotV = abs(surface.nDotV);
  // Terms of the vector halfway between light and viewer. The vector does not exist when light and viewer are exactly
  // opposite.
  let lDotV = dot(toLight, surface.toViewer);
  let halfway = inverseSqrt(max(2.0 + 2.0 * lDotV, 1e-12));
  let nDotH = clamp((cosine + surface.nDotV) * halfway, 0.0, 1.0);
  let vDotH = clamp((1.0 + lDotV) * halfway, 0.0, 1.0);
  let alphaSquared = surface.alphaSquared;

  // Distribution of microfacets (Trowbridge-Reitz, also known as GGX): α² / (π f²), with f = (n·h)²(α² − 1) + 1,
  // arranged to avoid cancellation near the highlight's centre. Visibility (Smith's height-correlated masking and
  // shadowing), divided by 4 (n·l)(n·v): 0.5 / (masking + shadowing).
  let f = (nDotH * alphaSquared - nDotH) * nDotH + 1.0;
  let masked = max(nDotL * surface.masking + nDotV * smithTerm(nDotL, alphaSquared), 1e-6);
  let microfacets = (0.5 / PI) * alphaSquared / (f * f * masked);

  // Schlick's approximation of Fresnel's equations. It is linear in the reflectance at normal incidence, so the mix of
  // dielectric and metal needs only one specular term.
  let grazing = fifthPower(1.0 - vDotH);
  let headOn = surface.diffuseColor + surface.specularColor * microfacets;
  return intensity * (headOn * ((1.0 - grazing) * nDotL) + grazing * microfacets * nDotL);
}

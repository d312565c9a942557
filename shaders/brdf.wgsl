// The metallic-roughness material of glTF 2.0, appendix B, for one direction of light. All vectors have unit length.
// Terms that do not depend on the light are computed once per pixel.

const PI = 3.14159265358979;
// Reflectance at normal incidence for an index of refraction of 1.5.
const DIELECTRIC_REFLECTANCE = 0.04;
// With a smaller roughness, the highlight of a point light would be too bright for half floats.
const SMALLEST_ROUGHNESS = 0.0525;

struct Surface {
  // Diffuse colour divided by π, times the share of head-on light that enters the dielectric.
  diffuseColor: vec3f,
  // Fourth power of the perceptual roughness.
  alphaSquared: f32,
  specularColor: vec3f,
  nDotV: f32,
  normal: vec3f,
  masking: f32,
  toViewer: vec3f,
  // With VARIES_REFLECTANCE: the reflectance at grazing incidence, and the diffuse colour that is left there.
  grazingReflectance: f32,
  grazingDiffuse: vec3f,
  // With HAS_INTERIOR: the base colour, and the share of the surface that is no metal. Both diffuse colours are then 0.
  baseColor: vec3f,
  dielectricShare: f32,
}

fn fifthPower(base: f32) -> f32 {
  let squared = base * base;
  return squared * squared * base;
}

fn surfaceOf(baseColor: vec3f, metallic: f32, roughness: f32, normal: vec3f, toViewer: vec3f) -> Surface {
  let alpha = roughness * roughness;
  let alphaSquared = alpha * alpha;
  let nDotV = dot(normal, toViewer);
  let reflectance = dielectricReflectance * dielectricWeight;
  var surface: Surface;
  // Only the dielectric part has a diffuse layer, below its own Fresnel reflection.
  surface.diffuseColor = baseColor * ((1.0 - metallic) * (1.0 - reflectance) / PI);
  surface.alphaSquared = alphaSquared;
  surface.specularColor = mix(reflectance, baseColor, metallic);
  surface.nDotV = nDotV;
  surface.normal = normal;
  surface.masking = smithTerm(nDotV, alphaSquared);
  surface.toViewer = toViewer;
  if VARIES_REFLECTANCE {
    surface.grazingReflectance = mix(dielectricWeight, 1.0, metallic);
    surface.grazingDiffuse = baseColor * ((1.0 - metallic) * (1.0 - dielectricWeight) / PI);
  }
  if HAS_INTERIOR {
    surface.diffuseColor = vec3f(0.0);
    surface.grazingDiffuse = vec3f(0.0);
    surface.baseColor = baseColor;
    surface.dielectricShare = 1.0 - metallic;
  }
  return surface;
}

// Returns the share of the light below the dielectric that leaves it, by the cosine of its angle (Schlick).
fn leavingShare(cosine: f32) -> vec3f {
  let reflectance = dielectricReflectance * dielectricWeight;
  return 1.0 - mix(reflectance, vec3f(dielectricWeight), fifthPower(1.0 - saturate(cosine)));
}

fn smithTerm(cosine: f32, alphaSquared: f32) -> f32 {
  return sqrt(cosine * cosine * (1.0 - alphaSquared) + alphaSquared);
}

// Cosines of the angles between a light, the viewer, the normal and the vector halfway between light and viewer.
struct Cosines {
  nDotL: f32,
  nDotV: f32,
  nDotH: f32,
  vDotH: f32,
}

fn cosinesOf(normal: vec3f, toViewer: vec3f, nDotV: f32, toLight: vec3f) -> Cosines {
  let cosine = dot(normal, toLight);
  // The vector halfway does not exist when light and viewer are exactly opposite.
  let lDotV = dot(toLight, toViewer);
  let halfway = inverseSqrt(max(2.0 + 2.0 * lDotV, 1e-12));
  return Cosines(
    // No branch skips surfaces that face away from the light, because adapters without real branches would gain
    // nothing.
    max(cosine, 0.0),
    // A mapped normal may face away from the viewer. Appendix B uses the magnitude of this cosine.
    abs(nDotV),
    clamp((cosine + nDotV) * halfway, 0.0, 1.0),
    clamp((1.0 + lDotV) * halfway, 0.0, 1.0),
  );
}

// Returns the share of light that microfacets send to the viewer, without their Fresnel reflectance. `masking` is
// smithTerm of n·v.
fn microfacets(cosines: Cosines, masking: f32, alphaSquared: f32) -> f32 {
  // The distribution of microfacets (Trowbridge-Reitz, also known as GGX) is α² / (π f²), with f = (n·h)²(α² − 1) + 1.
  // The code arranges f to avoid cancellation near the highlight's centre. The visibility (Smith's height-correlated
  // masking and shadowing), divided by 4 (n·l)(n·v), is 0.5 / (masking + shadowing).
  let f = (cosines.nDotH * alphaSquared - cosines.nDotH) * cosines.nDotH + 1.0;
  let masked = max(cosines.nDotL * masking + cosines.nDotV * smithTerm(cosines.nDotL, alphaSquared), 1e-6);
  return (0.5 / PI) * alphaSquared / (f * f * masked);
}

// Returns the light that the base layer reflects to the viewer when `intensity` arrives from `toLight`.
fn reflectedLight(surface: Surface, toLight: vec3f, intensity: vec3f) -> vec3f {
  let cosines = cosinesOf(surface.normal, surface.toViewer, surface.nDotV, toLight);
  let facets = facetsOf(surface, toLight, cosines);

  // Schlick's approximation of Fresnel's equations. It is linear in the reflectance at normal incidence, so the mix of
  // dielectric and metal needs only one specular term.
  let grazing = fifthPower(1.0 - cosines.vDotH);
  let headOn = surface.diffuseColor + surface.specularColor * facets;
  var reflected = headOn * ((1.0 - grazing) * cosines.nDotL) + grazing * facets * cosines.nDotL;
  if VARIES_REFLECTANCE {
    let edge = surface.grazingReflectance * facets + surface.grazingDiffuse;
    reflected = (headOn * (1.0 - grazing) + grazing * edge) * cosines.nDotL;
  }
  if HAS_INTERIOR {
    let diffuse = surface.baseColor * (cosines.nDotL / PI);
    // Light from behind leaves the surface as if it were mirrored to the front.
    let mirrored = toLight + 2.0 * surface.normal * max(-dot(surface.normal, toLight), 0.0);
    let halfway = inverseSqrt(max(2.0 + 2.0 * dot(mirrored, surface.toViewer), 1e-12));
    let leaving = leavingShare((1.0 + dot(mirrored, surface.toViewer)) * halfway);
    reflected += interiorLight(diffuse, surface, toLight) * leaving * surface.dielectricShare;
  }
  let received = intensity * cosines.nDotL;
  return throughFilm(intensity * reflected, received * facets, received);
}

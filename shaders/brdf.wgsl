// The metallic-roughness material of glTF 2.0, appendix B, for one direction of light. `alpha` is the square of
// the perceptual roughness. All vectors are unit length.

const PI = 3.14159265358979;
// At normal incidence, for an index of refraction of 1.5.
const DIELECTRIC_REFLECTANCE = 0.04;
// Smaller roughness would give a point light a highlight that half floats can't hold.
const SMALLEST_ROUGHNESS = 0.0525;

struct Surface {
  diffuseColor: vec3f,
  alpha: f32,
  specularColor: vec3f,
  normal: vec3f,
  toViewer: vec3f,
}

// How the microfacets are distributed: Trowbridge-Reitz, also known as GGX.
fn microfacetDistribution(nDotH: f32, alphaSquared: f32) -> f32 {
  // (n·h)²(α² − 1) + 1, arranged so that it doesn't cancel out near the highlight's centre
  let f = (nDotH * alphaSquared - nDotH) * nDotH + 1.0;
  return alphaSquared / (PI * f * f);
}

// Smith's height-correlated masking and shadowing, divided by 4 (n·l)(n·v).
fn visibility(nDotL: f32, nDotV: f32, alphaSquared: f32) -> f32 {
  let masking = nDotL * sqrt(nDotV * nDotV * (1.0 - alphaSquared) + alphaSquared);
  let shadowing = nDotV * sqrt(nDotL * nDotL * (1.0 - alphaSquared) + alphaSquared);
  return 0.5 / max(masking + shadowing, 1e-6);
}

fn fifthPower(base: f32) -> f32 {
  let squared = base * base;
  return squared * squared * base;
}

// Light reflected to the viewer per unit of light that arrives from `toLight`.
fn reflectedLight(surface: Surface, toLight: vec3f) -> vec3f {
  // Without a branch for what faces away: adapters without real branches gain nothing by it.
  let nDotL = max(dot(surface.normal, toLight), 0.0);
  // None where light and viewer are on opposite sides of the surface, in one line.
  let sum = toLight + surface.toViewer;
  let halfway = sum * inverseSqrt(max(dot(sum, sum), 1e-12));
  // A mapped normal may face away from the viewer; appendix B takes the magnitude.
  let nDotV = abs(dot(surface.normal, surface.toViewer));
  let nDotH = clamp(dot(surface.normal, halfway), 0.0, 1.0);
  let vDotH = clamp(dot(surface.toViewer, halfway), 0.0, 1.0);
  let alphaSquared = surface.alpha * surface.alpha;

  // Schlick's approximation of Fresnel's equations. It is linear in the reflectance at normal incidence, so the
  // mix of dielectric and metal needs one specular term. Only the dielectric part has a diffuse layer, below its
  // own Fresnel reflection.
  let grazing = fifthPower(1.0 - vDotH);
  let fresnel = mix(surface.specularColor, vec3f(1.0), grazing);
  let diffuse = (1.0 - mix(DIELECTRIC_REFLECTANCE, 1.0, grazing)) * surface.diffuseColor / PI;
  let specular =
    fresnel * microfacetDistribution(nDotH, alphaSquared) * visibility(nDotL, nDotV, alphaSquared);
  return (diffuse + specular) * nDotL;
}

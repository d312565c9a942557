// A thin film that interferes with light, as on soap bubbles (KHR_materials_iridescence; Belcour and Barla 2017, "A
// Practical Extension to Microfacet Theory for the Modeling of Varying Iridescence"). Joined to mesh.wgsl
// (src/render/materials/features/).

// Reflectance of film and base together, and the diffuse colour that is left, divided by π.
var<private> filmReflectance: vec3f;
var<private> filmDiffuse: vec3f;
// Share of the surface that has the film, 0 to 1.
var<private> filmFactor: f32;

fn readIridescence(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  let minimum = materials[slot].iridescenceThicknessMinimum;
  let maximum = materials[slot].iridescenceThicknessMaximum;
  let thickness = mix(minimum, maximum, iridescenceThicknessTexel(input).g);
  let factor = saturate(materials[slot].iridescence * iridescenceTexel(input).r);
  filmFactor = select(factor, 0.0, thickness == 0.0);
  let nDotV = saturate(dot((*appearance).normal * facing, toViewerFrom(input.position)));
  let ior = materials[slot].iridescenceIor;
  let baseColor = (*appearance).baseColor.rgb;
  let dielectric = filmedReflectance(ior, nDotV, thickness, dielectricReflectance);
  let metal = filmedReflectance(ior, nDotV, thickness, baseColor);
  let metallic = saturate((*appearance).metallic);
  let strongest = max(max(dielectric.x, dielectric.y), dielectric.z);
  filmReflectance = mix(dielectric, metal, metallic);
  filmDiffuse = baseColor * ((1.0 - metallic) * (1.0 - strongest) / PI);
}

// Covers the base layer with the film. `specular` is the light that facets of reflectance 1 send to the viewer, and
// `received` the light that reaches the surface.
fn throughIridescence(below: vec3f, specular: vec3f, received: vec3f) -> vec3f {
  return mix(below, specular * filmReflectance + received * filmDiffuse, filmFactor);
}

// Returns the reflectance of a film over a base, seen at an angle with cosine `cosine`, in linear sRGB. `thickness` is
// in nanometres.
fn filmedReflectance(ior: f32, cosine: f32, thickness: f32, baseReflectance: vec3f) -> vec3f {
  // A film thinner than 0.03 nanometres fades into air.
  let filmIor = mix(1.0, ior, smoothstep(0.0, 0.03, thickness));
  let sineSquared = (1.0 - cosine * cosine) / (filmIor * filmIor);
  let cosineSquared = 1.0 - sineSquared;
  if cosineSquared < 0.0 {
    return vec3f(1.0);  // Total reflection.
  }
  let inside = sqrt(cosineSquared);
  // Reflection between air and film, and between film and base, with the shifts of phase by half a wave.
  let outerRoot = (filmIor - 1.0) / (filmIor + 1.0);
  let outer = mix(outerRoot * outerRoot, 1.0, fifthPower(saturate(1.0 - cosine)));
  let passed = 1.0 - outer;
  let outerShift = select(PI, 0.0, filmIor < 1.0);
  let baseRoot = sqrt(clamp(baseReflectance, vec3f(0.0), vec3f(0.9999)));
  let baseIor = (1.0 + baseRoot) / (1.0 - baseRoot);
  let innerRoot = (baseIor - filmIor) / (baseIor + filmIor);
  let inner = mix(innerRoot * innerRoot, vec3f(1.0), fifthPower(saturate(1.0 - inside)));
  let shift = outerShift + select(vec3f(0.0), vec3f(PI), baseIor < vec3f(filmIor));
  // Light leaves the film after any number of reflections inside. Its sum is approximated by a mean and the first two
  // orders of interference.
  let both = clamp(outer * inner, vec3f(1e-5), vec3f(0.9999));
  let mean = passed * passed * inner / (1.0 - both);
  let difference = 2.0 * filmIor * thickness * inside;
  let root = sqrt(both);
  let first = (mean - passed) * root;
  let sum = outer + mean
    + first * 2.0 * interference(difference, shift)
    + first * root * 2.0 * interference(2.0 * difference, 2.0 * shift);
  return max(sum, vec3f(0.0));
}

// Returns the response of the eye, in linear sRGB, to light whose paths differ by `difference` nanometres and by phases
// `shift`. The response is the Fourier transform of Gaussians that fit the sensitivities of CIE XYZ.
fn interference(difference: f32, shift: vec3f) -> vec3f {
  let phase = 2.0 * PI * difference * 1e-9;
  let squared = phase * phase;
  let widths = vec3f(4.3278e9, 9.3046e9, 6.6121e9);
  let heights = vec3f(5.4856e-13, 4.4201e-13, 5.2481e-13);
  let centres = vec3f(1.6810e6, 1.7953e6, 2.2084e6);
  var xyz = heights * sqrt(2.0 * PI * widths) * cos(centres * phase + shift) * exp(-squared * widths);
  xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e9) * cos(2.2399e6 * phase + shift.x) * exp(-4.5282e9 * squared);
  xyz /= 1.0685e-7;
  return mat3x3f(
    3.2404542, -0.9692660, 0.0556434, -1.5371385, 1.8760108, -0.2040259, -0.4985314, 0.0415560, 1.0572252
  ) * xyz;
}

// Light that passes through a surface as through glass (KHR_materials_transmission). Joined to mesh.wgsl after
// interior.wgsl.

// Share of the light below the surface that passes through, 0 to 1.
var<private> passedShare: f32;
var<private> glassPosition: vec3f;
var<private> glassIor: f32;

fn readTransmission(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  passedShare = saturate(materials[slot].transmission * transmissionTexel(input).r);
  glassPosition = input.position;
  glassIor = materials[slot].ior;
}

// An index of refraction of 1 bends no light, so rough facets blur none.
fn blurOf(roughness: f32, ior: f32) -> f32 {
  return roughness * saturate(ior * 2.0 - 2.0);
}

// Adds the light of a lamp behind the glass. Facets spread it like the reflection of a lamp mirrored to the front. As
// in the Khronos sample renderer, the light has no cosine factor, and rough facets also pass light from the front.
fn glassLight(below: vec3f, surface: Surface, toLight: vec3f) -> vec3f {
  let mirrored = reflect(toLight, surface.normal);
  let alpha = blurOf(sqrt(surface.alphaSquared), glassIor);
  let alphaSquared = max(alpha * alpha, pow(SMALLEST_ROUGHNESS, 4.0));
  let cosines = cosinesOf(surface.normal, surface.toViewer, surface.nDotV, mirrored);
  let passed = surface.baseColor * microfacets(cosines, smithTerm(surface.nDotV, alphaSquared), alphaSquared);
  return mix(below, absorbed(passed, solidThickness), passedShare);
}

fn glassEnvironment(below: vec3f, normal: vec3f, toViewer: vec3f, baseColor: vec3f, roughness: f32) -> vec3f {
  var behind = lightThrough(normal, toViewer, roughness, glassIor);
  if SPLITS_COLORS {
    let spread = (glassIor - 1.0) * 0.025 * colorSpread;
    behind.r = lightThrough(normal, toViewer, roughness, glassIor - spread).r;
    behind.b = lightThrough(normal, toViewer, roughness, glassIor + spread).b;
  }
  let tint = absorbed(baseColor, solidThickness);
  openness = passedShare * (1.0 - behind.a) * (tint.r + tint.g + tint.b) / 3.0;
  return mix(below, behind.rgb * tint, passedShare);
}

// Returns the light and the coverage that the viewer sees through the surface.
fn lightThrough(normal: vec3f, toViewer: vec3f, roughness: f32, ior: f32) -> vec4f {
  let refracted = refract(-toViewer, normal, 1.0 / max(ior, 1e-3));
  // An index below 1 reflects all light at grazing angles. No ray is left to refract then.
  let direction = select(-toViewer, refracted, dot(refracted, refracted) > 0.5);
  return lightBehind(glassPosition + direction * solidThickness, direction, blurOf(roughness, ior));
}

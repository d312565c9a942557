// A layer of varnish over the material (KHR_materials_clearcoat). Joined to mesh.wgsl (src/render/materials/features/).

// Normal of the coat, unit length, on the viewer's side.
var<private> coatNormal: vec3f;
var<private> coatRoughness: f32;
// Share of the surface that is coated, 0 to 1.
var<private> coatFactor: f32;

fn readClearcoat(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  coatFactor = saturate(materials[slot].clearcoat * clearcoatTexel(input).r);
  coatRoughness = saturate(materials[slot].clearcoatRoughness * clearcoatRoughnessTexel(input).g);
  coatNormal = frontNormal;
  if clearcoatNormalIsBound {
    let scale = materials[slot].clearcoatNormalScale;
    coatNormal = tiltedNormal(
      input, frontNormal, clearcoatNormalUv(input), clearcoatNormalTexel(input).xyz, scale
    );
  }
  coatNormal *= facing;
}

// Returns the share of light that the coat reflects; the rest passes. The coat's index of refraction is 1.5.
fn coatReflectance(toViewer: vec3f) -> f32 {
  let grazing = fifthPower(1.0 - saturate(dot(coatNormal, toViewer)));
  return coatFactor * mix(DIELECTRIC_REFLECTANCE, 1.0, grazing);
}

fn coatEmission(below: vec3f, toViewer: vec3f) -> vec3f {
  return below * (1.0 - coatReflectance(toViewer));
}

fn coatLight(below: vec3f, surface: Surface, toLight: vec3f, intensity: vec3f) -> vec3f {
  let nDotV = dot(coatNormal, surface.toViewer);
  let cosines = cosinesOf(coatNormal, surface.toViewer, nDotV, toLight);
  let alpha = max(coatRoughness, SMALLEST_ROUGHNESS) * max(coatRoughness, SMALLEST_ROUGHNESS);
  let facets = microfacets(cosines, smithTerm(nDotV, alpha * alpha), alpha * alpha);
  return mix(below, intensity * (cosines.nDotL * facets), coatReflectance(surface.toViewer));
}

fn coatEnvironment(below: vec3f, surface: Surface, occlusion: f32) -> vec3f {
  let radiance = environmentRadiance(coatNormal, surface.toViewer, coatRoughness);
  return mix(below, radiance * occlusion, coatReflectance(surface.toViewer));
}

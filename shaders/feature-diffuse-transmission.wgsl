// Diffuse light that shines through a surface from behind, as through leaves and paper
// (KHR_materials_diffuse_transmission). Joined to mesh.wgsl after interior.wgsl.

// Share of the diffuse light that comes from behind, 0 to 1, and its colour.
var<private> shineShare: f32;
var<private> shineColor: vec3f;

fn readDiffuseTransmission(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  shineShare = saturate(materials[slot].diffuseTransmission * diffuseTransmissionTexel(input).a);
  shineColor = materials[slot].diffuseTransmissionColor * diffuseTransmissionColorTexel(input).rgb;
}

fn shiningLight(below: vec3f, surface: Surface, toLight: vec3f) -> vec3f {
  let fromBehind = saturate(-dot(surface.normal, toLight)) / PI;
  return mix(below, absorbed(shineColor * fromBehind, solidThickness), shineShare);
}

fn shiningEnvironment(below: vec3f, normal: vec3f, toViewer: vec3f, baseColor: vec3f, roughness: f32) -> vec3f {
  return mix(below, absorbed(shineColor * diffuseLight(-normal), solidThickness), shineShare);
}

// A solid below the surface that absorbs light (KHR_materials_volume). Joined to mesh.wgsl after interior.wgsl.

fn readVolume(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  solidThickness = materials[slot].thickness * thicknessTexel(input).g * input.scale;
  // After the attenuation distance, white light has the attenuation colour.
  let color = max(materials[slot].attenuationColor, vec3f(1e-6));
  absorption = -log(color) / max(materials[slot].attenuationDistance, 1e-6);
}

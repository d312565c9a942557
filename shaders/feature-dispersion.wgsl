// Colours that a solid splits light into (KHR_materials_dispersion). Joined to mesh.wgsl after interior.wgsl.

fn readDispersion(input: Varying, appearance: ptr<function, Appearance>) {
  colorSpread = materials[input.materialSlot].dispersion;
}

// The index of refraction (KHR_materials_ior). Joined to mesh.wgsl (src/render/materials/features/).

// An index of 0 makes a perfect mirror, as the extension defines it.
fn readIor(input: Varying, appearance: ptr<function, Appearance>) {
  let ior = materials[input.materialSlot].ior;
  let root = (ior - 1.0) / (ior + 1.0);
  dielectricReflectance = vec3f(root * root);
}

// Strength and colour of a dielectric's reflection (KHR_materials_specular). Joined to mesh.wgsl
// (src/render/materials/features/).

fn readSpecular(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  let color = materials[slot].specularColor * specularColorTexel(input).rgb;
  dielectricReflectance = min(dielectricReflectance * color, vec3f(1.0));
  dielectricWeight = saturate(materials[slot].specular * specularTexel(input).a);
}

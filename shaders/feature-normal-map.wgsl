// The texture of normals. Joined to mesh.wgsl (src/render/materials/features/).

fn readNormalMap(input: Varying, appearance: ptr<function, Appearance>) {
  let texel = normalTexel(input).xyz;
  let scale = materials[input.materialSlot].normalScale;
  (*appearance).normal = tiltedNormal(input, (*appearance).normal, normalUv(input), texel, scale);
}

// The texture of metallic and roughness. Joined to mesh.wgsl (src/render/materials/features/).

fn readMetallicRoughness(input: Varying, appearance: ptr<function, Appearance>) {
  let texel = metallicRoughnessTexel(input);
  (*appearance).roughness *= texel.g;
  (*appearance).metallic *= texel.b;
}

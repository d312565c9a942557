// The texture of occlusion. Joined to mesh.wgsl (src/render/materials/features/).

// Occlusion dims only the light of the environment. READS_OCCLUSION is generated: it is true with an environment, and
// for debug views.
fn readOcclusion(input: Varying, appearance: ptr<function, Appearance>) {
  if READS_OCCLUSION {
    let strength = materials[input.materialSlot].occlusionStrength;
    (*appearance).occlusion = 1.0 + strength * (occlusionTexel(input).r - 1.0);
  }
}

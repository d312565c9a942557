// The texture of occlusion. Joined to mesh.wgsl (src/render/materials/features/).

// Occlusion dims only the light of the environment.
fn readOcclusion(input: Varying, appearance: ptr<function, Appearance>) {
  if HAS_ENVIRONMENT {
    let strength = materials[input.materialSlot].occlusionStrength;
    (*appearance).occlusion = 1.0 + strength * (occlusionTexel(input).r - 1.0);
  }
}

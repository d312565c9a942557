// The texture of emission. Joined to mesh.wgsl (src/render/materials/features/).

fn readEmission(input: Varying, appearance: ptr<function, Appearance>) {
  (*appearance).emissive *= emissiveTexel(input).rgb;
}

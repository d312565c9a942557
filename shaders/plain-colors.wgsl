// Colours of all meshes except billboards (mesh-billboards.wgsl). Joined to mesh.wgsl.

const MAY_SHOW_TEXT = false;

fn showsText(input: Varying) -> bool {
  return false;
}

// Returns the factor on textures.
fn tintOf(input: Varying) -> vec4f {
  return materials[input.materialSlot].baseColor * input.color;
}

fn blendedColor(input: Varying, color: vec4f) -> vec4f {
  return color;
}

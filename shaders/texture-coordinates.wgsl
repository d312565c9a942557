// Texture coordinates of a material's textures.

// Returns the texture coordinates of a slot: its set of coordinates, transformed by KHR_texture_transform.
fn slotUv(materialSlot: u32, slot: u32, uv: vec4f) -> vec2f {
  let abcd = materials[materialSlot].textureTransforms[slot * 2u];
  let ef = materials[materialSlot].textureTransforms[slot * 2u + 1u];
  let source = select(uv.xy, uv.zw, ef.z > 0.5);
  return vec2f(dot(abcd.xy, source) + abcd.z, abcd.w * source.x + ef.x * source.y + ef.y);
}

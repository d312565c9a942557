// Where a material's textures are read.

// The texture coordinates of a slot: the set it reads, through its transform (KHR_texture_transform).
fn slotUv(materialSlot: u32, slot: u32, uv: vec4f) -> vec2f {
  let abcd = materials[materialSlot].textureTransforms[slot * 2u];
  let ef = materials[materialSlot].textureTransforms[slot * 2u + 1u];
  let source = select(uv.xy, uv.zw, ef.z > 0.5);
  return vec2f(dot(abcd.xy, source) + abcd.z, abcd.w * source.x + ef.x * source.y + ef.y);
}

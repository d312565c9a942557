// Where a material's textures are read.

// Texture slots, in the order of `TEXTURE_SLOTS`.
const BASE_COLOR = 0u;
const METALLIC_ROUGHNESS = 1u;
const NORMAL = 2u;
const OCCLUSION = 3u;
const EMISSIVE = 4u;

// The texture coordinates of a slot: the set it reads, through its transform.
fn slotUv(materialSlot: u32, slot: u32, uv: vec4f) -> vec2f {
  let abcd = materials[materialSlot].textureTransforms[slot * 2u];
  let ef = materials[materialSlot].textureTransforms[slot * 2u + 1u];
  let source = select(uv.xy, uv.zw, ef.z > 0.5);
  return vec2f(dot(abcd.xy, source) + abcd.z, abcd.w * source.x + ef.x * source.y + ef.y);
}

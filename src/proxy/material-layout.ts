/**
 * The numbers that describe a material, as `setMaterial` carries them and the GPU reads them. Offsets are in
 * 32-bit floats. Semantics are those of glTF 2.0 materials. Colours are linear.
 *
 * Each texture slot adds a 2×3 affine transform of its texture coordinates (KHR_texture_transform):
 *   u' = a·u + b·v + c,  v' = d·u + e·v + f
 * and the set of coordinates it reads (0 or 1).
 */
export const TEXTURE_SLOTS = ['baseColor', 'metallicRoughness', 'normal', 'occlusion', 'emissive'] as const;
export type TextureSlot = (typeof TEXTURE_SLOTS)[number];
export const TEXTURE_SLOT_COUNT = TEXTURE_SLOTS.length;

export enum MaterialOffset {
  /** 4: linear RGBA. */
  baseColor = 0,
  /** 3: linear RGB, strength multiplied in. */
  emissive = 4,
  alphaCutoff = 7,
  metallic = 8,
  roughness = 9,
  normalScale = 10,
  occlusionStrength = 11,
  /** 8 per slot: a b c d e f, texture coordinate set, 1 when the slot has a texture. */
  textureTransforms = 12,
}

export const MATERIAL_FLOATS = MaterialOffset.textureTransforms + 8 * TEXTURE_SLOT_COUNT;

/** Bits of `setMaterialShader.features`: what code of the page's has. */
export enum ShaderFeature {
  /** `surface`, which decides how it looks. */
  surface = 1,
  /** `vertex`, which moves vertices. */
  vertex = 2,
  /** It reads the scene time: it may change with every frame. */
  time = 4,
}

/** Bits of `setMaterial.flags`. */
export enum MaterialFlag {
  /** Discard where alpha < alphaCutoff. */
  alphaMask = 1,
  /** Blend over what is behind, sorted back to front. */
  alphaBlend = 2,
  doubleSided = 4,
  unlit = 8,
  /** Comes out as it is: neither exposed nor tone-mapped. */
  unmapped = 16,
}

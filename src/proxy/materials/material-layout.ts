/**
 * The layout of a material's numbers in `setMaterial` records and in the memory of the GPU. Offsets are in 32-bit
 * floats. The numbers have the meaning of glTF 2.0 materials. Colours are linear. The layout derives from
 * `material-features.ts`:
 *
 *   RGBA colours │ RGB colours, each followed by a number │ other numbers │ texture slots
 *
 *   per texture slot 8 floats: a b c d e f, index of the coordinates (0 or 1), 1 with a texture (else 0)
 *
 * Each texture slot adds a 2×3 affine transform of its texture coordinates (KHR_texture_transform):
 *   u' = a·u + b·v + c,  v' = d·u + e·v + f
 */
import {
  MATERIAL_FEATURE_NAMES,
  MATERIAL_FEATURES,
  type MaterialFeatureDeclaration,
  type MaterialFeatureName,
  type MaterialParameter,
  type MaterialParameterName,
  type MaterialTextureSlot,
  type TextureSlot,
} from './material-features.js';

export type { TextureSlot };

const declarations = /* @__PURE__ */ MATERIAL_FEATURE_NAMES.map(
  (name): MaterialFeatureDeclaration => MATERIAL_FEATURES[name],
);

/** All parameters by name, in the order of features. */
export const MATERIAL_PARAMETERS = /* @__PURE__ */ Object.assign(
  {},
  .../* @__PURE__ */ declarations.map(({ parameters }) => parameters),
) as Readonly<Record<MaterialParameterName, MaterialParameter>>;

/** All texture slots by name, in the order of features. */
export const TEXTURE_SLOT_DECLARATIONS = /* @__PURE__ */ Object.assign(
  {},
  .../* @__PURE__ */ declarations.map(({ slots }) => slots),
) as Readonly<Record<TextureSlot, MaterialTextureSlot>>;

/** Names of texture slots in the order of their numbers. */
export const TEXTURE_SLOTS = /* @__PURE__ */ Object.keys(TEXTURE_SLOT_DECLARATIONS) as readonly TextureSlot[];
export const TEXTURE_SLOT_COUNT = TEXTURE_SLOTS.length;
/**
 * Number of texture slots of core glTF, which come first. Every material with a texture binds all of them, so that most
 * materials share one layout and one pipeline.
 */
export const CORE_SLOT_COUNT = 5;
/**
 * Maximum number of textures of a material. WebGPU guarantees 16 in the fragment stage. The environment takes 2, shadow
 * maps take 1, and the picture that glass shows or ambient occlusion takes 1.
 */
export const MOST_MATERIAL_TEXTURES = 12;
/** Maximum number of textures of a material in slots after the core slots. Core slots always have room. */
export const MOST_FURTHER_TEXTURES = MOST_MATERIAL_TEXTURES - CORE_SLOT_COUNT;

/** Returns whether a material has room for a texture in a slot. @param taken slots that have a texture, as bits */
export function hasRoomFor(slot: number, taken: number): boolean {
  let others = 0;
  for (let other = CORE_SLOT_COUNT; other < TEXTURE_SLOT_COUNT; other++) {
    if (other !== slot && taken & (1 << other)) others++;
  }
  return slot < CORE_SLOT_COUNT || others < MOST_FURTHER_TEXTURES;
}

/** Floats per texture slot. */
export const SLOT_FLOATS = 8;

/**
 * Parameters in the order of the record. A number follows each RGB colour, because WGSL's alignment would otherwise
 * leave a gap there.
 */
export const RECORD_PARAMETERS: readonly MaterialParameterName[] = /* @__PURE__ */ orderParameters();

/** Offset of each parameter and of the texture slots, in floats. */
export const MaterialOffset = /* @__PURE__ */ layOut();

export const MATERIAL_FLOATS =
  /* @__PURE__ */ MaterialOffset.textureTransforms + SLOT_FLOATS * TEXTURE_SLOT_COUNT;

/** Returns the record of a new material, without textures. */
export function defaultRecord(): Float32Array {
  const record = new Float32Array(MATERIAL_FLOATS);
  for (const [name, { default: value }] of Object.entries(MATERIAL_PARAMETERS)) {
    record.set(typeof value === 'number' ? [value] : value, MaterialOffset[name as MaterialParameterName]);
  }
  return record;
}

/** Returns the bits of a feature's texture slots: bit n is slot n. */
export const slotBitsOf = (feature: MaterialFeatureName): number =>
  Object.keys(MATERIAL_FEATURES[feature].slots).reduce(
    (bits, slot) => bits | (1 << TEXTURE_SLOTS.indexOf(slot as TextureSlot)),
    0,
  );

function orderParameters(): MaterialParameterName[] {
  const names = Object.keys(MATERIAL_PARAMETERS) as MaterialParameterName[];
  const ofSize = (size: number) => names.filter((name) => MATERIAL_PARAMETERS[name].size === size);
  const numbers = ofSize(1);
  return [...ofSize(4), ...ofSize(3).flatMap((name) => [name, ...numbers.splice(0, 1)]), ...numbers];
}

function layOut(): Readonly<Record<MaterialParameterName | 'textureTransforms', number>> {
  const offsets = {} as Record<MaterialParameterName | 'textureTransforms', number>;
  let end = 0;
  const place = (name: keyof typeof offsets, size: number): void => {
    const alignment = size === 1 ? 1 : 4;
    offsets[name] = Math.ceil(end / alignment) * alignment;
    end = offsets[name] + size;
  };
  for (const name of RECORD_PARAMETERS) place(name, MATERIAL_PARAMETERS[name].size);
  place('textureTransforms', SLOT_FLOATS * TEXTURE_SLOT_COUNT);
  return offsets;
}

/** Bits of `setMaterialShader.features`: features of the WGSL that the page wrote for a material. */
export enum ShaderFeature {
  /** The WGSL defines the function `surface`, which changes the appearance. */
  surface = 1,
  /** The WGSL defines the function `vertex`, which moves vertices. */
  vertex = 2,
  /** The WGSL reads the scene time, so the image may change with every frame. */
  time = 4,
}

/** Bits of `setMaterial.flags`. */
export enum MaterialFlag {
  /** Discards pixels with alpha < alphaCutoff. */
  alphaMask = 1,
  /** Blends over the surfaces behind, sorted back to front. */
  alphaBlend = 2,
  doubleSided = 4,
  unlit = 8,
  /** The colour is written as it is, neither exposed nor tone-mapped. */
  unmapped = 16,
  /** Also draws where something nearer was drawn before. */
  noDepthTest = 32,
  /** Writes depth although it blends. */
  depthWrite = 64,
  /** Writes no depth although it is opaque. */
  noDepthWrite = 128,
  /** Blending adds the colour. */
  additive = 256,
  /** Blending multiplies by the colour. */
  multiplied = 512,
}

/** Returns whether a material's draws write depth. Opaque ones do, unless the material sets something else. */
export const writesDepth = (flags: number): boolean =>
  (flags & MaterialFlag.noDepthWrite) === 0 &&
  (flags & (MaterialFlag.alphaBlend | MaterialFlag.depthWrite)) !== MaterialFlag.alphaBlend;

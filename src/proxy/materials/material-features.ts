/**
 * Declarations of material features: parameters and texture slots, by feature. Everything else that knows of a parameter or slot
 * derives from them.
 *
 *   MATERIAL_FEATURES ─┬─ record of a material (`material-layout.ts`) ─► structure `Material` of the shaders
 *                      ├─ options, setters and `animate()` of materials (`game/materials/`)
 *                      ├─ glTF: what files set (`assets/material-features/`) and what KHR_animation_pointer moves
 *                      └─ WGSL and texture bindings of the feature (`render/materials/features/`)
 *
 * A new feature stands last: slots and features are numbered in this order.
 */

/** A parameter of one number or of a linear colour. */
export interface MaterialParameter {
  /** Floats in the record: one number, red green blue, or red green blue alpha. */
  readonly size: 1 | 3 | 4;
  readonly default: number | readonly number[];
  /** Range of a number. Default: 0 to 1. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Its place within a material of a glTF file, by which KHR_animation_pointer names it. */
  readonly pointer: string;
  /** Unlit materials have it, too. */
  readonly isUnlit?: true;
}

/** A texture that a material may have. */
export interface MaterialTextureSlot {
  /** Its place within a material of a glTF file. */
  readonly pointer: string;
  /** Its texels are colours in sRGB. */
  readonly isColor?: true;
  /** Its texels are normals in tangent space: a missing texture reads as flat, not as white. */
  readonly isNormal?: true;
}

export interface MaterialFeatureDeclaration {
  readonly parameters: Readonly<Record<string, MaterialParameter>>;
  readonly slots: Readonly<Record<string, MaterialTextureSlot>>;
}

const PBR = 'pbrMetallicRoughness';
const ANY = 1e9;

export const MATERIAL_FEATURES = {
  baseColor: {
    parameters: {
      baseColor: { size: 4, default: [1, 1, 1, 1], pointer: `${PBR}/baseColorFactor`, isUnlit: true },
      /** For `alphaMode: 'mask'`: what is less opaque is not drawn. Default 0.5. */
      alphaCutoff: { size: 1, default: 0.5, maximum: ANY, pointer: 'alphaCutoff', isUnlit: true },
    },
    slots: { baseColor: { pointer: `${PBR}/baseColorTexture`, isColor: true } },
  },
  metallicRoughness: {
    parameters: {
      /** 0 (default, not a metal) to 1. */
      metallic: { size: 1, default: 0, pointer: `${PBR}/metallicFactor` },
      /** 0 (mirror) to 1. Default 0.5. */
      roughness: { size: 1, default: 0.5, pointer: `${PBR}/roughnessFactor` },
    },
    slots: { metallicRoughness: { pointer: `${PBR}/metallicRoughnessTexture` } },
  },
  normalMap: {
    parameters: {
      /** Factor on how far the normal texture tilts normals. Default 1. */
      normalScale: { size: 1, default: 1, minimum: -ANY, maximum: ANY, pointer: 'normalTexture/scale' },
    },
    slots: { normal: { pointer: 'normalTexture', isNormal: true } },
  },
  occlusion: {
    parameters: {
      /** 0 to 1: how much the occlusion texture dims the light from all around. Default 1. */
      occlusionStrength: { size: 1, default: 1, pointer: 'occlusionTexture/strength' },
    },
    slots: { occlusion: { pointer: 'occlusionTexture' } },
  },
  emission: {
    parameters: {
      /** Its strength is multiplied in. */
      emissive: { size: 3, default: [0, 0, 0], pointer: 'emissiveFactor' },
    },
    slots: { emissive: { pointer: 'emissiveTexture', isColor: true } },
  },
} as const satisfies Readonly<Record<string, MaterialFeatureDeclaration>>;

type Features = typeof MATERIAL_FEATURES;
type Intersection<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer All) => void
  ? All
  : never;

export type MaterialFeatureName = keyof Features;
/** Parameters of all features, by name. */
export type MaterialParameters = Intersection<Features[MaterialFeatureName]['parameters']>;
export type MaterialParameterName = keyof MaterialParameters;
type NamesOfSize<Size extends number> = {
  [Name in MaterialParameterName]: MaterialParameters[Name]['size'] extends Size ? Name : never;
}[MaterialParameterName];
/** Parameters of one number. */
type MaterialNumberName = NamesOfSize<1>;
/** Parameters that are colours. */
export type MaterialColorName = NamesOfSize<3 | 4>;
export type TextureSlot = keyof Intersection<Features[MaterialFeatureName]['slots']>;

/** Values of a material's parameters, in the units of the record. */
export type MaterialValues = { readonly [Name in MaterialNumberName]: number } & {
  readonly [Name in MaterialColorName]: readonly number[];
};

/** Names of features, in their order: a feature's number is its place in it. */
export const MATERIAL_FEATURE_NAMES = /* @__PURE__ */ Object.keys(
  MATERIAL_FEATURES,
) as readonly MaterialFeatureName[];

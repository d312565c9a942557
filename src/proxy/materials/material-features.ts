/**
 * Declarations of material features: parameters and texture slots, by feature. All other code about parameters and
 * slots derives from them.
 *
 *   MATERIAL_FEATURES ─┬─ record of a material (`material-layout.ts`) ─► structure `Material` of the shaders
 *                      ├─ options, setters and `animate()` of materials (`game/materials/`)
 *                      ├─ glTF: what files set (`assets/material-features/`) and what KHR_animation_pointer moves
 *                      └─ WGSL and texture bindings of the feature (`render/materials/features/`)
 *
 * Add a new feature at the end, because slots and features are numbered in this order.
 */

/** A parameter of one number or of a linear colour. */
export interface MaterialParameter {
  /** Floats in the record: 1 for a number, 3 for RGB, 4 for RGBA. */
  readonly size: 1 | 3 | 4;
  readonly default: number | readonly number[];
  /** Range of a number. Default: 0 to 1. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Path within a material of a glTF file, as KHR_animation_pointer names it. */
  readonly pointer: string;
  /** Set if unlit materials have the parameter, too. */
  readonly isUnlit?: true;
}

/** A texture that a material may have. */
export interface MaterialTextureSlot {
  /** Path within a material of a glTF file. */
  readonly pointer: string;
  /** Set if the texels are colours in sRGB. */
  readonly isColor?: true;
  /** Set if the texels are normals in tangent space. A missing texture is then read as flat, not as white. */
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
      /** Minimum alpha that is drawn with `alphaMode: 'mask'`. Default 0.5. */
      alphaCutoff: { size: 1, default: 0.5, maximum: ANY, pointer: 'alphaCutoff', isUnlit: true },
    },
    slots: { baseColor: { pointer: `${PBR}/baseColorTexture`, isColor: true } },
  },
  metallicRoughness: {
    parameters: {
      /** Metalness, from 0 (not a metal, default) to 1. */
      metallic: { size: 1, default: 0, pointer: `${PBR}/metallicFactor` },
      /** Roughness, from 0 (mirror) to 1. Default 0.5. */
      roughness: { size: 1, default: 0.5, pointer: `${PBR}/roughnessFactor` },
    },
    slots: { metallicRoughness: { pointer: `${PBR}/metallicRoughnessTexture` } },
  },
  normalMap: {
    parameters: {
      /** Factor on the tilt of normals by the normal texture. Default 1. */
      normalScale: { size: 1, default: 1, minimum: -ANY, maximum: ANY, pointer: 'normalTexture/scale' },
    },
    slots: { normal: { pointer: 'normalTexture', isNormal: true } },
  },
  occlusion: {
    parameters: {
      /** Strength with which the occlusion texture dims ambient and image-based light, 0 to 1. Default 1. */
      occlusionStrength: { size: 1, default: 1, pointer: 'occlusionTexture/strength' },
    },
    slots: { occlusion: { pointer: 'occlusionTexture' } },
  },
  emission: {
    parameters: {
      /** Colour of the emitted light, with its strength multiplied in. */
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

/** Names of features in their order. A feature's number is its index. */
export const MATERIAL_FEATURE_NAMES = /* @__PURE__ */ Object.keys(
  MATERIAL_FEATURES,
) as readonly MaterialFeatureName[];

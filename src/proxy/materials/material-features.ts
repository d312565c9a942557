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
const IOR = 'extensions/KHR_materials_ior';
const SPECULAR = 'extensions/KHR_materials_specular';
const ANISOTROPY = 'extensions/KHR_materials_anisotropy';
const IRIDESCENCE = 'extensions/KHR_materials_iridescence';
const SHEEN = 'extensions/KHR_materials_sheen';
const CLEARCOAT = 'extensions/KHR_materials_clearcoat';
const VOLUME = 'extensions/KHR_materials_volume';
const DISPERSION = 'extensions/KHR_materials_dispersion';
const DIFFUSE_TRANSMISSION = 'extensions/KHR_materials_diffuse_transmission';
const TRANSMISSION = 'extensions/KHR_materials_transmission';
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
  ior: {
    parameters: {
      /** Index of refraction, which decides how much the surface reflects: 1.33 water, 1.5 most materials (default). */
      ior: { size: 1, default: 1.5, maximum: ANY, pointer: `${IOR}/ior` },
    },
    slots: {},
  },
  specular: {
    parameters: {
      /** Strength of the reflection of a surface that is not a metal, 0 to 1. Default 1. */
      specular: { size: 1, default: 1, pointer: `${SPECULAR}/specularFactor` },
      /** Colour of that reflection, seen from the front. Default white. */
      specularColor: { size: 3, default: [1, 1, 1], pointer: `${SPECULAR}/specularColorFactor` },
    },
    slots: {
      specular: { pointer: `${SPECULAR}/specularTexture` },
      specularColor: { pointer: `${SPECULAR}/specularColorTexture`, isColor: true },
    },
  },
  anisotropy: {
    parameters: {
      /** Strength with which highlights are stretched along the grain of a brushed surface, 0 (default) to 1. */
      anisotropy: { size: 1, default: 0, pointer: `${ANISOTROPY}/anisotropyStrength` },
      /** Angle of the grain in the surface, in radians from the tangent. Default 0. */
      anisotropyRotation: {
        size: 1,
        default: 0,
        minimum: -ANY,
        maximum: ANY,
        pointer: `${ANISOTROPY}/anisotropyRotation`,
      },
    },
    slots: { anisotropy: { pointer: `${ANISOTROPY}/anisotropyTexture` } },
  },
  iridescence: {
    parameters: {
      /** Strength of the colours of a thin film, as on soap bubbles, 0 (default) to 1. */
      iridescence: { size: 1, default: 0, pointer: `${IRIDESCENCE}/iridescenceFactor` },
      /** Index of refraction of the film. Default 1.3. */
      iridescenceIor: {
        size: 1,
        default: 1.3,
        minimum: 1,
        maximum: ANY,
        pointer: `${IRIDESCENCE}/iridescenceIor`,
      },
      /** Thickness of the film in nanometres where the thickness texture is 0. Default 100. */
      iridescenceThicknessMinimum: {
        size: 1,
        default: 100,
        maximum: ANY,
        pointer: `${IRIDESCENCE}/iridescenceThicknessMinimum`,
      },
      /** Thickness of the film in nanometres where the thickness texture is 1 or missing. Default 400. */
      iridescenceThicknessMaximum: {
        size: 1,
        default: 400,
        maximum: ANY,
        pointer: `${IRIDESCENCE}/iridescenceThicknessMaximum`,
      },
    },
    slots: {
      iridescence: { pointer: `${IRIDESCENCE}/iridescenceTexture` },
      iridescenceThickness: { pointer: `${IRIDESCENCE}/iridescenceThicknessTexture` },
    },
  },
  sheen: {
    parameters: {
      /** Colour of the light that fibres of a fabric catch at its edges. Default black: no fibres. */
      sheenColor: { size: 3, default: [0, 0, 0], pointer: `${SHEEN}/sheenColorFactor` },
      /** Roughness of the fibres, 0 (default) to 1: how far the light spreads from the edges. */
      sheenRoughness: { size: 1, default: 0, pointer: `${SHEEN}/sheenRoughnessFactor` },
    },
    slots: {
      sheenColor: { pointer: `${SHEEN}/sheenColorTexture`, isColor: true },
      sheenRoughness: { pointer: `${SHEEN}/sheenRoughnessTexture` },
    },
  },
  clearcoat: {
    parameters: {
      /** Share of the surface that a layer of clear varnish covers, 0 (default) to 1. */
      clearcoat: { size: 1, default: 0, pointer: `${CLEARCOAT}/clearcoatFactor` },
      /** Roughness of the varnish, from 0 (mirror, default) to 1. */
      clearcoatRoughness: { size: 1, default: 0, pointer: `${CLEARCOAT}/clearcoatRoughnessFactor` },
      /** Factor on the tilt of normals by the varnish's normal texture. Default 1. */
      clearcoatNormalScale: {
        size: 1,
        default: 1,
        minimum: -ANY,
        maximum: ANY,
        pointer: `${CLEARCOAT}/clearcoatNormalTexture/scale`,
      },
    },
    slots: {
      clearcoat: { pointer: `${CLEARCOAT}/clearcoatTexture` },
      clearcoatRoughness: { pointer: `${CLEARCOAT}/clearcoatRoughnessTexture` },
      clearcoatNormal: { pointer: `${CLEARCOAT}/clearcoatNormalTexture`, isNormal: true },
    },
  },
  volume: {
    parameters: {
      /** Thickness of the solid below the surface in metres, before the object's scale. Default 0: a thin wall. */
      thickness: { size: 1, default: 0, maximum: ANY, pointer: `${VOLUME}/thicknessFactor` },
      /** Distance in metres after which white light has the attenuation colour. Default 1e9: the solid is clear. */
      attenuationDistance: {
        size: 1,
        default: ANY,
        minimum: 1e-6,
        maximum: ANY,
        pointer: `${VOLUME}/attenuationDistance`,
      },
      /** Colour of white light after the attenuation distance. Default white. */
      attenuationColor: { size: 3, default: [1, 1, 1], pointer: `${VOLUME}/attenuationColor` },
    },
    slots: { thickness: { pointer: `${VOLUME}/thicknessTexture` } },
  },
  dispersion: {
    parameters: {
      /** Strength with which a solid splits light into colours, as 20 divided by the Abbe number. Default 0. */
      dispersion: { size: 1, default: 0, maximum: ANY, pointer: `${DISPERSION}/dispersion` },
    },
    slots: {},
  },
  diffuseTransmission: {
    parameters: {
      /** Share of the diffuse light that shines through the surface from behind, 0 (default) to 1. */
      diffuseTransmission: {
        size: 1,
        default: 0,
        pointer: `${DIFFUSE_TRANSMISSION}/diffuseTransmissionFactor`,
      },
      /** Colour of the light that shines through. Default white. */
      diffuseTransmissionColor: {
        size: 3,
        default: [1, 1, 1],
        pointer: `${DIFFUSE_TRANSMISSION}/diffuseTransmissionColorFactor`,
      },
    },
    slots: {
      diffuseTransmission: { pointer: `${DIFFUSE_TRANSMISSION}/diffuseTransmissionTexture` },
      diffuseTransmissionColor: {
        pointer: `${DIFFUSE_TRANSMISSION}/diffuseTransmissionColorTexture`,
        isColor: true,
      },
    },
  },
  transmission: {
    parameters: {
      /** Share of the light below the surface that passes through it as through glass, 0 (default) to 1. */
      transmission: { size: 1, default: 0, pointer: `${TRANSMISSION}/transmissionFactor` },
    },
    slots: { transmission: { pointer: `${TRANSMISSION}/transmissionTexture` } },
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

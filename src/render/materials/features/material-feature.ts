import type { MaterialColorName, MaterialParameterName } from '../../../proxy/materials/material-features.js';
import { MaterialFlag, MaterialOffset } from '../../../proxy/materials/material-layout.js';

/**
 * A *material feature* is a module that adds one property to materials. Its parameters and texture slots are declared
 * in `proxy/materials/material-features.ts`. Its effect on a surface is WGSL. `index.ts` lists all features. The shader
 * of a pipeline contains the WGSL of the features that its material uses (`feature-code.ts`).
 *
 *   declare   `code`: functions and variables. It can call `<slot>Texel(input)` and `<slot>Uv(input)` for each slot of
 *             the feature, and use `<slot>Texture` and `<slot>Sampler` of each bound slot
 *   surface   changes the `Appearance` of a fragment: base colour, normal, roughness, emission …
 *   base      replaces a part of the base layer's reflection (`shaders/brdf.wgsl`)
 *   interior  changes the light that comes from below the base layer: light that passes through the surface
 *   lobe      adds a layer on top of the base layer, for each light, for the environment and for emission
 */
export interface MaterialFeature {
  /** WGSL that becomes part of the mesh shader. `surface` sets its variables, and the other functions read them. */
  readonly code: string;
  /** Name of the feature's `fn (input: Varying, appearance: ptr<function, Appearance>)`. */
  readonly surface?: string;
  readonly base?: BaseReflection;
  readonly interior?: MaterialInterior;
  readonly lobe?: MaterialLobe;
  /** Set if the feature may change alpha. Passes that cut out shapes then need the feature too. */
  readonly decidesShape?: true;
  /** Set if the feature's WGSL calls functions of `tangent-frame.wgsl`. */
  readonly readsNormals?: true;
  /** The feature's WGSL reads `Varying.scale`. */
  readonly readsScale?: true;
  /** The surface shows the scene behind it, so it is drawn after that scene. */
  readonly showsScene?: true;
  /** Per changed material: returns whether the material uses the feature. */
  isUsed(material: FeatureSource): boolean;
}

/**
 * Parts of the base layer's reflection that a feature changes. The deferred renderer does not store these parts, so it
 * draws surfaces with such features forward.
 */
interface BaseReflection {
  /** Set if `surface` writes `dielectricReflectance` and `dielectricWeight`, which are constants otherwise. */
  readonly variesReflectance?: true;
  /** `fn (surface: Surface, toLight: vec3f, cosines: Cosines) -> f32`, instead of `microfacets`. */
  readonly facets?: string;
  /**
   * `fn (normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f` returns the normal of the mirror that reflects the
   * environment.
   */
  readonly mirror?: string;
  /**
   * `fn (below: vec3f, specular: vec3f, received: vec3f) -> vec3f` returns the reflected light through a film. `below`
   * is the light that the layer reflects without the film. `specular` is the light that facets of reflectance 1
   * reflect. `received` is the light that reaches the surface.
   */
  readonly film?: string;
}

/**
 * Names of functions in a feature's WGSL that change the light from below the dielectric's reflection. Their parameter
 * `below` is this light, which is diffuse unless another feature has changed it. The code may use `interior.wgsl`.
 */
interface MaterialInterior {
  /**
   * `fn (below: vec3f, surface: Surface, toLight: vec3f) -> vec3f`, for one light of intensity 1. The
   * caller does not multiply the result by a cosine.
   */
  readonly light?: string;
  /**
   * `fn (below: vec3f, normal: vec3f, toViewer: vec3f, baseColor: vec3f, roughness: f32) -> vec3f`, for light of the
   * environment, and for light of the scene that is visible through the surface.
   */
  readonly environment?: string;
  /** The light is refracted by three indices of refraction, for red, green and blue. */
  readonly splitsColors?: true;
}

/**
 * Names of functions in a feature's WGSL. Their parameter `below` is the light that the layers below send to
 * the viewer.
 */
interface MaterialLobe {
  /**
   * `fn (below: vec3f, toViewer: vec3f) -> vec3f`, for emitted light. Default: emitted light passes through the layer
   * unchanged.
   */
  readonly emission?: string;
  /** `fn (below: vec3f, surface: Surface, toLight: vec3f, intensity: vec3f) -> vec3f`, for one light. */
  readonly light: string;
  /** `fn (below: vec3f, surface: Surface, occlusion: f32) -> vec3f`, for light of the environment. */
  readonly environment: string;
}

/** The parts of a material that features read. */
export interface FeatureSource {
  /** `MaterialFlag`. */
  readonly flags: number;
  /** Texture slots that have a texture, as bits; 0 until the first image is loaded. */
  readonly textures: number;
  /** Holds the record of the material. */
  readonly floats: Float32Array;
  /** Index in `floats` at which the record begins. */
  readonly at: number;
}

export const isLit = ({ flags }: FeatureSource): boolean => (flags & MaterialFlag.unlit) === 0;

/** Returns the value of a parameter that is a single number. */
export const numberOf = ({ floats, at }: FeatureSource, name: MaterialParameterName): number =>
  floats[at + MaterialOffset[name]] as number;

/** Returns whether light passes through the surface of a material. */
export const letsLightPass = (material: FeatureSource): boolean =>
  numberOf(material, 'transmission') > 0 || numberOf(material, 'diffuseTransmission') > 0;

/** Returns whether all three channels of an RGB colour equal `value`. */
export function isColorOf({ floats, at }: FeatureSource, name: MaterialColorName, value: number): boolean {
  const first = at + MaterialOffset[name];
  return floats[first] === value && floats[first + 1] === value && floats[first + 2] === value;
}

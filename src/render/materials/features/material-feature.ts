import type { MaterialColorName, MaterialParameterName } from '../../../proxy/materials/material-features.js';
import { MaterialFlag, MaterialOffset } from '../../../proxy/materials/material-layout.js';

/**
 * A *material feature* is a module. Its parameters and texture slots are declared in
 * `proxy/materials/material-features.ts`, its effect on a surface is WGSL, and `index.ts` lists it. The
 * shader of a pipeline contains the WGSL of the features that its material uses (`feature-code.ts`).
 *
 *   declare   `code`: functions and variables; for each of its slots there are `<slot>Texel(input)`, `<slot>Uv(input)` and, where
 *             the slot is bound, `<slot>Texture` and `<slot>Sampler`
 *   surface   changes the `Appearance` of a fragment: base colour, normal, roughness, emission …
 *   base      replaces a part of the base layer's reflection (`shaders/brdf.wgsl`)
 *   lobe      adds a layer on top of the base layer, for each light, for the environment and for emission
 */
export interface MaterialFeature {
  /**
   * WGSL, part of the mesh shader. Its variables, which `surface` sets, carry properties of the surface to
   * the lobe.
   */
  readonly code: string;
  /** Name of the feature's `fn (input: Varying, appearance: ptr<function, Appearance>)`. */
  readonly surface?: string;
  readonly base?: BaseReflection;
  readonly lobe?: MaterialLobe;
  /** The feature may change alpha, so passes that cut out shapes need it too. */
  readonly decidesShape?: true;
  /** The feature's WGSL calls functions of `tangent-frame.wgsl`. */
  readonly readsNormals?: true;
  /** Per changed material: returns whether the material uses the feature. */
  isUsed(material: FeatureSource): boolean;
}

/**
 * Parts of the base layer's reflection that a feature changes. The deferred renderer draws such surfaces forward,
 * because it does not store these parts.
 */
interface BaseReflection {
  /** `surface` sets `dielectricReflectance` and `dielectricWeight`, which are constants otherwise. */
  readonly variesReflectance?: true;
  /** `fn (surface: Surface, toLight: vec3f, cosines: Cosines) -> f32`, instead of `microfacets`. */
  readonly facets?: string;
  /**
   * `fn (normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f`: the normal about which light of the environment is
   * reflected.
   */
  readonly mirror?: string;
  /**
   * `fn (below: vec3f, specular: vec3f, received: vec3f) -> vec3f` returns the reflected light through a film. `below`
   * is the light that the layer reflects without the film, `specular` the light that facets of reflectance 1 reflect,
   * and `received` the light that reaches the surface.
   */
  readonly film?: string;
}

/**
 * Names of functions in a feature's WGSL. Their parameter `below` is the light that the layers below send to
 * the viewer.
 */
interface MaterialLobe {
  /** `fn (below: vec3f, toViewer: vec3f) -> vec3f`, for emitted light. Default: the layer lets it pass. */
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

/** Returns the value of a parameter of one number. */
export const numberOf = ({ floats, at }: FeatureSource, name: MaterialParameterName): number =>
  floats[at + MaterialOffset[name]] as number;

/** Returns whether all channels of an RGB colour have a value. */
export function isColorOf({ floats, at }: FeatureSource, name: MaterialColorName, value: number): boolean {
  const first = at + MaterialOffset[name];
  return floats[first] === value && floats[first + 1] === value && floats[first + 2] === value;
}

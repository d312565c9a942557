import { MaterialFlag } from '../../../proxy/materials/material-layout.js';

/**
 * A *material feature* is a module. Its parameters and texture slots are declared in
 * `proxy/materials/material-features.ts`, its effect on a surface is WGSL, and `index.ts` lists it. The
 * shader of a pipeline contains the WGSL of the features that its material uses (`feature-code.ts`).
 *
 *   declare   `code`: functions and variables; for each of its slots there are `<slot>Texel(input)`, `<slot>Uv(input)` and, where
 *             the slot is bound, `<slot>Texture` and `<slot>Sampler`
 *   surface   changes the `Appearance` of a fragment: base colour, normal, roughness, emission …
 *   lobe      adds light on top of what the surface reflects, for each light and for the environment
 */
export interface MaterialFeature {
  /**
   * WGSL, part of the mesh shader. Its variables, which `surface` sets, carry properties of the surface to
   * the lobe.
   */
  readonly code: string;
  /** Name of the feature's `fn (input: Varying, appearance: ptr<function, Appearance>)`. */
  readonly surface?: string;
  readonly lobe?: MaterialLobe;
  /** The feature may change alpha, so passes that cut out shapes need it too. */
  readonly decidesShape?: true;
  /** The feature's WGSL calls `tiltedNormal` (`tangent-frame.wgsl`). */
  readonly readsNormals?: true;
  /**
   * The feature's slots are bound in every material that has a texture. So most materials share one layout
   * and one pipeline.
   */
  readonly isCommon?: true;
  /** Per changed material: returns whether the material uses the feature. */
  isUsed(material: FeatureSource): boolean;
}

/**
 * Names of functions in a feature's WGSL. Their parameter `below` is the light that the layers below send to
 * the viewer.
 */
interface MaterialLobe {
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

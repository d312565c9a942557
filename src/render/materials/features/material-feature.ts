import { MaterialFlag } from '../../../proxy/materials/material-layout.js';

/**
 * A *material feature* is a module: what it declares of parameters and texture slots is in `proxy/materials/material-features.ts`, what it does
 * to a surface is WGSL of its own, and `index.ts` lists it. The shader of a pipeline has the WGSL of the features that its material
 * uses (`feature-code.ts`).
 *
 *   declare   `code`: functions and variables; for each of its slots there are `<slot>Texel(input)`, `<slot>Uv(input)` and, where
 *             the slot is bound, `<slot>Texture` and `<slot>Sampler`
 *   surface   changes the `Appearance` of a fragment: base colour, normal, roughness, emission …
 *   lobe      lays further light over what the surface reflects, for each light and for the environment
 */
export interface MaterialFeature {
  /** WGSL, joined to the mesh shader. What a lobe needs of the surface is in its variables, set by `surface`. */
  readonly code: string;
  /** Name of its `fn (input: Varying, appearance: ptr<function, Appearance>)`. */
  readonly surface?: string;
  readonly lobe?: MaterialLobe;
  /** It may change alpha, so passes that cut shapes out have it, too. */
  readonly decidesShape?: true;
  /** Its WGSL calls `tiltedNormal` (`tangent-frame.wgsl`). */
  readonly readsNormals?: true;
  /** Its slots are bound in every material with a texture, so that most materials share one layout and one pipeline. */
  readonly isCommon?: true;
  /** Per changed material: whether a material uses it. */
  isUsed(material: FeatureSource): boolean;
}

/** Names of functions of a feature's WGSL. `below` is the light that the layers below it send to the viewer. */
interface MaterialLobe {
  /** `fn (below: vec3f, surface: Surface, toLight: vec3f, intensity: vec3f) -> vec3f`, for one light. */
  readonly light: string;
  /** `fn (below: vec3f, surface: Surface, occlusion: f32) -> vec3f`, for light from all around. */
  readonly environment: string;
}

/** A material as features see it. */
export interface FeatureSource {
  /** `MaterialFlag`. */
  readonly flags: number;
  /** Texture slots that have a texture, as bits; 0 while no image has been loaded. */
  readonly textures: number;
  /** The record of the material begins at `at`. */
  readonly floats: Float32Array;
  readonly at: number;
}

export const isLit = ({ flags }: FeatureSource): boolean => (flags & MaterialFlag.unlit) === 0;

import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import type { MaterialStates } from '../keys/material-states.js';
import { withMaterialState } from '../keys/pipeline-key.js';
import { SHAPE_FEATURES } from './feature-code.js';
import type { MeshShaderSources } from './mesh-shader.js';

/**
 * A *material policy* says how a surface looks before light reaches it: `standard-material.ts`, whose code is that of the
 * features that a material uses, and `material-shaders.ts` for shaders of pages. `MaterialTable.policy` chooses it by the pipeline key.
 */
export interface MaterialPolicy {
  /**
   * WGSL of `applyMaterial`, which the mesh shader calls for the appearance of each fragment; undefined: it changes nothing. With
   * `movesVertices`, `movedVertex` is in it.
   */
  sources(key: number): Pick<MeshShaderSources, 'material' | 'movesVertices'>;
  /** Ends the labels of shader modules: draws with equal labels have the same sources. */
  label(key: number): string;
  /** `override` constants of the WGSL. */
  constants(key: number): Record<string, number>;
  /** Whether its code decides where vertices lie, or what is cut out. */
  decidesShape(key: number): boolean;
}

/**
 * The key of a pass that draws shapes and no colours: of the material, it has only what decides the shape.
 *
 * @param bits of the vertices' part, and `KeyBit`
 * @param flags `MaterialFlag`, those that count in the pass besides the mask
 */
export function shapeKey(
  key: number,
  bits: number,
  flags: number,
  states: MaterialStates,
  policy: MaterialPolicy,
): number {
  const all = states.flagsOf(key);
  const decides = policy.decidesShape(key);
  const isMasked = (all & MaterialFlag.alphaMask) !== 0;
  const state =
    isMasked || decides
      ? states.intern(
          all & (flags | MaterialFlag.alphaMask),
          states.featuresOf(key) & SHAPE_FEATURES,
          states.slotsOf(key),
          decides ? states.shaderOf(key) : 0,
        )
      : states.intern(all & flags, 0, 0, 0);
  return withMaterialState(key, bits, state);
}

import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import type { MaterialStates } from '../keys/material-states.js';
import { withMaterialState } from '../keys/pipeline-key.js';
import { SHAPE_FEATURES } from './feature-code.js';
import type { MeshShaderSources } from './mesh-shader.js';

/**
 * A *material policy* defines the appearance of a surface before light reaches it. `standard-material.ts`
 * composes the features that a material uses, and `material-shaders.ts` runs custom shaders.
 * `MaterialTable.policy` chooses a policy by the pipeline key.
 */
export interface MaterialPolicy {
  /**
   * Returns the WGSL of `applyMaterial`, which the mesh shader calls to set the appearance of each fragment. If it is
   * undefined, the appearance stays unchanged. If `movesVertices` is true, the WGSL also contains `movedVertex`
   * and `passVaryings`.
   */
  sources(key: number): Pick<MeshShaderSources, 'material' | 'movesVertices' | 'varyings'>;
  /** Returns a suffix for labels of shader modules. Draws with equal labels have the same sources. */
  label(key: number): string;
  /** Returns the `override` constants of the WGSL. */
  constants(key: number): Record<string, number>;
  /** Returns whether a custom shader decides the shape: it moves vertices or cuts out pixels. */
  decidesShape(key: number): boolean;
}

/**
 * Returns the key of a shape pass, which draws shapes without colours. The key keeps only the parts of the material
 * that decide the shape.
 *
 * @param bits the vertices' bits and `KeyBit`s to keep
 * @param flags `MaterialFlag`s that matter to the pass besides `alphaMask`
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

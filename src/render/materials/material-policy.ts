import { KeyBit } from '../keys/pipeline-key.js';
import type { MaterialTextures } from './material-textures.js';
import type { MeshShaderParts } from './mesh-shader.js';

/**
 * What a surface looks like before light reaches it, and whether any does, is a *material policy*, a module of its own:
 * `standard-material.ts`, `unlit-material.ts`, and `material-shaders.ts` for shaders of pages. `MaterialTable.policy` chooses it by
 * the pipeline key.
 */
export interface MaterialPolicy {
  /**
   * WGSL of `readTextures`, which the mesh shader calls for the appearance of each fragment; undefined: it reads nothing. With
   * `movesVertices`, `movedVertex` is in it.
   * @param textures where the draw binds some
   */
  parts(
    key: number,
    textures: MaterialTextures | undefined,
  ): Pick<MeshShaderParts, 'textures' | 'movesVertices'>;
  /** Constants of the fragment stage that are the policy's: `isUnlit`, and those that its WGSL declares. */
  constants(key: number, textures: MaterialTextures | undefined): Record<string, number>;
  /** The bits of a key by which its shape differs: where vertices lie, and what is cut out. Default: by alpha. */
  shapeBits?(key: number): number;
}

/** The bits of a key by which a pass differs that draws shapes and no colours: `bits`, and those of the material's shape. */
export const shapeKey = (key: number, bits: number, policy: MaterialPolicy): number =>
  key & (bits | (policy.shapeBits?.(key) ?? (key & KeyBit.masked ? KeyBit.masked | KeyBit.textured : 0)));

import type { MaterialTextures } from '../material-textures.js';

/**
 * What a surface looks like before light reaches it, and whether any does, is a *material policy*, a module of its own:
 * `standard-material.ts`, `unlit-material.ts`, and `material-shaders.ts` for shaders of pages. `MaterialTable.policy` chooses it by
 * the pipeline key.
 */
export interface MaterialPolicy {
  /**
   * WGSL of `readTextures`, which the mesh shader calls for the appearance of each fragment; undefined: it reads nothing.
   * @param textures where the draw binds some
   */
  code(key: number, textures: MaterialTextures | undefined): string | undefined;
  /** Constants of the fragment stage that are the policy's: `isUnlit`, and those that `code` declares. */
  constants(key: number, textures: MaterialTextures | undefined): Record<string, number>;
}

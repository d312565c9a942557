import type { AddedPasses } from './added-passes.js';
import type { LightClusters } from './clusters/light-clusters.js';
import type { DeferredRenderer } from './deferred/deferred-renderer.js';
import type { EffectsFeature } from './effects/effects.js';
import type { EnvironmentLight } from './environment/environment.js';
import type { Occlusion } from './occlusion/occlusion.js';
import type { Picking } from './picking/picking.js';
import type { AddedViews } from './picture/added-views.js';
import type { ShadowMaps } from './shadows/shadow-maps.js';

/**
 * Features that a world has used so far. The first command of a feature creates it
 * (`threads/render-side/feature-table.ts`); until then it is `undefined`. Passes and pipelines read features
 * here. Two kinds are stored elsewhere: `Scene.deformers`, and the textures and shaders of materials.
 */
export class RenderFeatures {
  /** Environment and ambient light. */
  environment: EnvironmentLight | undefined;
  /** Shadow maps of lights. */
  shadows: ShadowMaps | undefined;
  /** Clusters for hundreds of lights. */
  clusters: LightClusters | undefined;
  /** Occlusion culling behind occluders. */
  occlusion: Occlusion | undefined;
  /** The deferred renderer. */
  deferred: DeferredRenderer | undefined;
  /** Views besides the active camera's view. */
  views: AddedViews | undefined;
  /** Finds the primitive in a pixel. */
  picking: Picking | undefined;
  /** Effects on the picture. */
  effects: EffectsFeature | undefined;
  /** Passes of modules. */
  passes: AddedPasses | undefined;
}

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
 * Features that a world has used so far. The first command of a feature creates it (`threads/render-side/feature-table.ts`);
 * `undefined` until then. Passes and pipelines read them here. The scene has its own: `Scene.deformers`, and textures and
 * shaders of its materials.
 */
export class RenderFeatures {
  /** Light from all around. */
  environment: EnvironmentLight | undefined;
  /** Lights may cast shadows. */
  shadows: ShadowMaps | undefined;
  /** There may be hundreds of lights. */
  clusters: LightClusters | undefined;
  /** Some primitives hide others. */
  occlusion: Occlusion | undefined;
  /** Views may be drawn by another renderer. */
  deferred: DeferredRenderer | undefined;
  /** Views besides that of the active camera. */
  views: AddedViews | undefined;
  /** Finds what a pixel shows. */
  picking: Picking | undefined;
  /** Effects on the picture. */
  effects: EffectsFeature | undefined;
  /** Passes of others. */
  passes: AddedPasses | undefined;
}

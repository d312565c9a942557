import type { AddedPasses } from './added-passes.js';
import type { LightClusters } from './clusters/light-clusters.js';
import type { DeferredRenderer } from './deferred/deferred-renderer.js';
import type { EnvironmentLight } from './environment/environment.js';
import type { Picking } from './picking/picking.js';
import type { ShadowMaps } from './shadows/shadow-maps.js';
import type { AddedViews } from './views/added-views.js';

/**
 * What was added to a renderer since it began: features whose code is loaded with the first command for them, and made by
 * their part (`threads/parts/`). All that draws reads them here; undefined is one that nobody has used. What belongs to the
 * scene is there: `Scene.deformers`, and textures and shaders of its materials.
 */
export class RenderFeatures {
  /** Light from all around. */
  environment: EnvironmentLight | undefined;
  /** Lights may cast shadows. */
  shadows: ShadowMaps | undefined;
  /** There may be hundreds of lights. */
  clusters: LightClusters | undefined;
  /** Views may be drawn by another renderer. */
  deferred: DeferredRenderer | undefined;
  /** Views besides that of the active camera. */
  views: AddedViews | undefined;
  /** What is seen in a pixel. */
  picking: Picking | undefined;
  /** Passes of others. */
  passes: AddedPasses | undefined;
}

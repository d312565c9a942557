import type { AddedPasses } from './added-passes.js';
import type { PictureCaptures } from './captures/picture-captures.js';
import type { LightClusters } from './clusters/light-clusters.js';
import type { Decals } from './decals/decals.js';
import type { DeferredRenderer } from './deferred/deferred-renderer.js';
import type { EffectsFeature } from './effects/effects.js';
import type { EnvironmentLight } from './environment/environment.js';
import type { Occlusion } from './occlusion/occlusion.js';
import type { Particles } from './particles/particles.js';
import type { Picking } from './picking/picking.js';
import type { AddedViews } from './picture/added-views.js';
import type { ShadowCatchers } from './shadow-catchers/shadow-catchers.js';
import type { ShadowMaps } from './shadows/shadow-maps.js';

/**
 * Features that a world has used so far. The first command of a feature creates it
 * (`threads/render-side/feature-table.ts`); until then it is `undefined`. Passes and pipelines read features
 * here. Some are stored elsewhere: `Scene.deformers`, `Scene.lods`, and the textures and shaders of materials. `views`
 * and `effects` serve all worlds, and are set only in the engine's own world.
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
  /** Draws pictures of any size. */
  captures: PictureCaptures | undefined;
  /** Finds the primitive in a pixel. */
  picking: Picking | undefined;
  /** Pictures that are projected onto surfaces. */
  decals: Decals | undefined;
  /** Grounds that show only shadow. */
  catchers: ShadowCatchers | undefined;
  /** Particle systems. */
  particles: Particles | undefined;
  /** Effects on the picture. */
  effects: EffectsFeature | undefined;
  /** Passes of modules. */
  passes: AddedPasses | undefined;
}

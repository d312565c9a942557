import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { FrameLayout } from '../frame-bindings.js';
import type { PipelineCache } from '../pipeline-cache.js';
import type { DrawnView } from '../scene-renderer.js';
import { DeferredView } from './deferred-view.js';
import { LightingPipelines, SURFACES_CODE } from './lighting-pipelines.js';
import { SURFACE_TARGETS } from './surface-targets.js';

/**
 * The deferred renderer (SYSTEMS R12): opaque, lit surfaces are written down first, and then each pixel is lit once, by the
 * functions that the forward renderer lights with. What is blended or unlit is drawn behind that, as the forward renderer does.
 *
 *   passes   [background: sky] ─► surfaces: part 0 of the meshes ─► lighting: a triangle over all ─► rest: part 1
 */
export class DeferredRenderer {
  /** Joined to the mesh shader. */
  readonly shaderCode = SURFACES_CODE;
  readonly surfaceTargets = SURFACE_TARGETS;
  /** Views are drawn by it. */
  isOn = false;
  readonly #pipelines: LightingPipelines;

  readonly #rhi: ImmediateContext;

  /** @param meshes the pipelines of the scene */
  constructor(rhi: ImmediateContext, frameLayout: FrameLayout, meshes: PipelineCache) {
    this.#rhi = rhi;
    this.#pipelines = new LightingPipelines(rhi, frameLayout, meshes);
  }

  /** Per frame, outside passes, when the views are prepared. While it is off, views let go of what they had. */
  prepare(views: readonly DrawnView[]): void {
    if (this.isOn) this.#pipelines.get();
    for (const { state } of views) {
      if (!this.isOn) {
        state.deferred?.dispose();
        state.deferred = undefined;
        continue;
      }
      state.deferred ??= new DeferredView(this.#rhi, state, this.#pipelines);
      state.deferred.prepare();
    }
  }

  dispose(): void {
    this.#pipelines.dispose();
  }
}

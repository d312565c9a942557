import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { FrameLayout } from '../frame-bindings.js';
import type { PipelineCache } from '../pipeline-cache.js';
import type { DrawnView } from '../scene-renderer.js';
import type { SceneViewState } from '../scene-view-state.js';
import { DeferredView } from './deferred-view.js';
import { LightingPipelines, SURFACES_CODE } from './lighting-pipelines.js';
import { SURFACE_TARGETS } from './surface-targets.js';

/** The parts of the mesh pass, see `PipelineCache.partOf`. */
const SURFACES = 0;
const REST = 1;

/**
 * The deferred renderer (SYSTEMS R12): opaque, lit surfaces are written down first, and then each pixel is lit once, by the
 * functions that the forward renderer lights with. What is blended or unlit is drawn behind that, as the forward renderer does.
 *
 *   record   [background: sky] ─► surfaces: part 0 of the meshes ─► lighting: a triangle over all ─► rest: part 1
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

  /** Per frame, outside passes, when the views are prepared. While it is off, views let go of what they had. @param hasBackground whether a sky is drawn */
  prepare(views: readonly DrawnView[], hasBackground: boolean): void {
    if (this.isOn) this.#pipelines.get();
    for (const { state } of views) {
      if (!this.isOn) {
        state.deferred?.dispose();
        state.deferred = undefined;
        continue;
      }
      state.deferred ??= new DeferredView(this.#rhi, state, this.#pipelines);
      state.deferred.prepare(hasBackground);
    }
  }

  /** Per frame and view. @param drawSky with bind group 0 set */
  record(state: SceneViewState, drawSky: (() => void) | undefined): void {
    const rhi = this.#rhi;
    const { bindGroup, targets } = state.deferred as DeferredView;
    if (drawSky) {
      rhi.beginRenderPass(targets.background);
      rhi.setBindGroup(0, state.bindGroup);
      drawSky();
      rhi.endRenderPass();
    }
    rhi.beginRenderPass(targets.surfaces);
    state.meshes.record(SURFACES);
    rhi.endRenderPass();
    rhi.beginRenderPass(targets.lighting);
    rhi.setGraphicsPipeline(this.#pipelines.get());
    rhi.setBindGroup(0, state.bindGroup);
    rhi.setBindGroup(1, bindGroup);
    rhi.draw(3);
    rhi.endRenderPass();
    rhi.beginRenderPass(targets.rest);
    state.meshes.record(REST);
    rhi.endRenderPass();
  }

  dispose(): void {
    this.#pipelines.dispose();
  }
}

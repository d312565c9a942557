import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PassFormat } from '../keys/pass-format.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import type { PassShader } from '../pipelines/pass-shader.js';
import type { PipelineCache } from '../pipelines/pipeline-cache.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { DeferredView } from './deferred-view.js';
import { SmoothingPipelines } from './edge-smoothing.js';
import { LightingPipelines, SURFACES_CODE } from './lighting-pipelines.js';
import { SURFACE_TARGETS } from './surface-targets.js';

/**
 * The deferred renderer (SYSTEMS R12). Opaque, lit surfaces are first written to targets. Then each pixel is
 * lit once, by the functions that the forward renderer uses. Blended and unlit surfaces are drawn after that,
 * as the forward renderer does. If edges are smoothed, the smoothing runs on the finished picture, which
 * includes passes that users have drawn into the scene.
 *
 *   passes   [background: sky] ─► surfaces: section 0 of the meshes ─► lighting: one triangle ─► rest: section 1
 *            [─► edge smoothing]
 */
export class DeferredRenderer implements PassShader {
  readonly part = 'surfaces';
  readonly passBit = PassFormat.deferred;
  /** Part of the mesh shader. */
  readonly shaderCode = SURFACES_CODE;
  readonly surfaceTargets = SURFACE_TARGETS;
  /** Whether views are drawn by this renderer. */
  isOn = false;
  readonly #pipelines: LightingPipelines;
  readonly #smoothing: SmoothingPipelines;
  readonly #views = new WeakMap<SceneViewState, DeferredView>();

  readonly #rhi: ImmediateContext;

  /** @param meshes the pipelines of the scene */
  constructor(rhi: ImmediateContext, frameLayout: FrameLayout, meshes: PipelineCache) {
    this.#rhi = rhi;
    this.#pipelines = new LightingPipelines(rhi, frameLayout, meshes);
    this.#smoothing = new SmoothingPipelines(rhi);
  }

  /**
   * Per frame, outside passes: prepares the views. While the renderer is off, it releases their resources.
   */
  prepare(views: readonly DrawnView[]): void {
    for (const { state } of views) {
      if (!this.isOn) {
        state.renderer?.dispose();
        state.renderer = undefined;
        continue;
      }
      const view = this.#viewOf(state);
      // The smoothing pipeline is created even while edges are not smoothed. So a frame that waits for the
      // renderer's pipelines also waits for it.
      this.#smoothing.get(state.look.hasUnmappedTarget ? 2 : 1);
      this.#pipelines.get(state.targets.format);
      view.prepare();
    }
  }

  #viewOf(state: SceneViewState): DeferredView {
    let view = this.#views.get(state);
    if (!view || state.renderer !== view) {
      view = new DeferredView(this.#rhi, state, this.#pipelines, this.#smoothing);
      this.#views.set(state, view);
      state.renderer = view;
    }
    return view;
  }

  dispose(): void {
    this.#pipelines.dispose();
    this.#smoothing.dispose();
  }
}

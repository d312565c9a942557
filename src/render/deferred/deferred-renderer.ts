import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PassFormat } from '../keys/pass-format.js';
import type { PassShader } from '../pipelines/pass-shader.js';
import type { PipelineCache } from '../pipelines/pipeline-cache.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { DeferredView } from './deferred-view.js';
import { SmoothingPipelines } from './edge-smoothing.js';
import { LightingPipelines, SURFACES_CODE } from './lighting-pipelines.js';
import { ReflectionPipelines } from './reflections/reflection-pipelines.js';
import { SURFACE_TARGETS } from './surface-targets.js';

/**
 * The deferred renderer (SYSTEMS R12). Opaque, lit surfaces are first written to targets. Then each pixel is lit once,
 * by the functions that the forward renderer uses. Blended and unlit surfaces are drawn after that, as the forward
 * renderer does. If edges are smoothed, the smoothing runs on the finished scene colour, which includes everything that
 * users' passes have drawn into the scene.
 *
 *   passes   [background: sky] ─► surfaces: section 0 of the meshes ─► lighting: one triangle [─► reflections]
 *            ─► rest: section 1 [─► edge smoothing]
 */
export class DeferredRenderer implements PassShader {
  readonly part = 'surfaces';
  readonly passBit = PassFormat.deferred;
  /** WGSL that this renderer adds to the mesh shader. */
  readonly shaderCode = SURFACES_CODE;
  readonly surfaceTargets = SURFACE_TARGETS;
  /** Whether views are drawn by this renderer. */
  isOn = false;
  readonly #pipelines: LightingPipelines;
  readonly #smoothing: SmoothingPipelines;
  readonly #reflections: ReflectionPipelines;
  readonly #views = new WeakMap<SceneViewState, DeferredView>();

  readonly #rhi: ImmediateContext;

  /**
   * @param meshes the pipelines of the scene
   * @param screen pipelines of passes that cover their target
   */
  constructor(rhi: ImmediateContext, meshes: PipelineCache, screen: ScreenPipelines) {
    this.#rhi = rhi;
    this.#pipelines = new LightingPipelines(rhi, meshes);
    this.#smoothing = new SmoothingPipelines(rhi);
    this.#reflections = new ReflectionPipelines(rhi, meshes, this.#pipelines, screen);
  }

  /**
   * Per frame, outside passes: prepares the views. Views that are not drawn by the renderer have no resources of it.
   */
  prepare(views: readonly DrawnView[]): void {
    for (const { state } of views) {
      if (!this.isOn || state.look.debugView !== 0) {
        state.renderer?.dispose();
        state.renderer = undefined;
        continue;
      }
      const view = this.#viewOf(state);
      // The smoothing pipeline is created even while edges are not smoothed. So a frame that waits for the renderer's
      // pipelines also waits for the smoothing pipeline.
      this.#smoothing.get(state.look.hasUnmappedTarget ? 2 : 1);
      this.#pipelines.get(state.targets.format);
      view.prepare();
    }
  }

  #viewOf(state: SceneViewState): DeferredView {
    let view = this.#views.get(state);
    if (!view || state.renderer !== view) {
      view = new DeferredView(this.#rhi, state, this.#pipelines, this.#smoothing, this.#reflections);
      this.#views.set(state, view);
      state.renderer = view;
    }
    return view;
  }

  dispose(): void {
    this.#pipelines.dispose();
    this.#smoothing.dispose();
    this.#reflections.dispose();
  }
}

import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture, PassBuilder } from '../../graph/graph-pass.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { SmoothingPass, type SmoothingPipelines } from './edge-smoothing.js';

/**
 * Smooths the edges of a view, including the edges that users' passes draw into its scene. A user's pass
 * draws into the colour before smoothing, and another smoothing pass follows it. The graph drops smoothing
 * passes whose result is not read.
 *
 *   scene ──► colour 1 ──► smoothing ──► smooth colour           not read: dropped
 *                └─ a user's pass ─► colour 2 ──► smoothing ──► smooth colour 2 ──► effects, tone mapping
 */
export class ViewSmoothing {
  readonly #passes: SmoothingPass[] = [];
  readonly #rhi: ImmediateContext;
  readonly #state: SceneViewState;
  readonly #pipelines: SmoothingPipelines;
  /** Number of smoothing passes in this frame. */
  #count = 0;
  /** Scene colour into which a user's pass has drawn since the last smoothing pass; undefined: none. */
  #drawn: GraphTexture | undefined;

  constructor(rhi: ImmediateContext, state: SceneViewState, pipelines: SmoothingPipelines) {
    this.#rhi = rhi;
    this.#state = state;
    this.#pipelines = pipelines;
  }

  /**
   * Per frame, after the scene's passes: adds the first smoothing pass.
   * @param isSmooth whether edges are smoothed in this frame
   */
  begin(graph: FrameGraph, isSmooth: boolean): void {
    this.#count = 0;
    this.#drawn = undefined;
    if (isSmooth) this.#add(graph);
  }

  /** Attaches the colour before smoothing, in the set-up of a user's pass that draws into the scene. */
  attachScene(builder: PassBuilder): void {
    const { targets } = this.#state;
    const last = this.#passes[this.#count - 1];
    // If an effect has replaced scene colour, the pass draws into the effect's result.
    if (!last || targets.color !== last.result) {
      targets.attachColor(builder);
      return;
    }
    targets.color = this.#drawn ?? last.source;
    targets.attachColor(builder);
    this.#drawn = targets.color;
    targets.color = last.result;
  }

  /**
   * Adds a smoothing pass after a user's pass that has drawn into the scene.
   * @param isAdded false: the pass has failed, and its declarations were discarded
   */
  follow(graph: FrameGraph, isAdded: boolean): void {
    const drawn = this.#drawn;
    if (drawn === undefined) return;
    this.#drawn = undefined;
    if (!isAdded) return;
    const { targets } = this.#state;
    const last = this.#passes[this.#count - 1] as SmoothingPass;
    // If the user's pass has also replaced scene colour with a texture of its own, that texture stays.
    if (targets.color !== last.result) return;
    targets.color = drawn;
    if (targets.unmappedColor !== undefined) targets.unmappedColor = last.unmappedSource;
    this.#add(graph);
  }

  dispose(): void {
    for (const pass of this.#passes) pass.dispose();
    this.#passes.length = 0;
  }

  #add(graph: FrameGraph): void {
    this.#passes[this.#count] ??= new SmoothingPass(this.#rhi, this.#state, this.#pipelines, this.#count + 1);
    graph.addPass(this.#passes[this.#count++] as SmoothingPass);
  }
}

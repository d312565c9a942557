import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture, PassBuilder } from '../../graph/graph-pass.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { SmoothingPass, type SmoothingPipelines } from './edge-smoothing.js';

/**
 * Smooth edges of a view, also of what passes of users draw into its scene: each of them draws into what was smoothed, and not into what
 * came of it, and is followed by a smoothing pass of its own. The graph leaves out those whose picture nobody reads.
 *
 *   scene ──► colour 1 ──► smoothing ──► smooth colour           read by nobody: left out
 *                └─ a user's pass ─► colour 2 ──► smoothing ──► smooth colour 2 ──► effects, tone mapping
 */
export class ViewSmoothing {
  readonly #passes: SmoothingPass[] = [];
  readonly #rhi: ImmediateContext;
  readonly #state: SceneViewState;
  readonly #pipelines: SmoothingPipelines;
  /** Smoothing passes of this frame. */
  #count = 0;
  /** Texture that a pass has drawn into the scene behind the last one; undefined: none. */
  #drawn: GraphTexture | undefined;

  constructor(rhi: ImmediateContext, state: SceneViewState, pipelines: SmoothingPipelines) {
    this.#rhi = rhi;
    this.#state = state;
    this.#pipelines = pipelines;
  }

  /** Per frame, behind the scene. @param isSmooth whether edges are smoothed, in this frame */
  begin(graph: FrameGraph, isSmooth: boolean): void {
    this.#count = 0;
    this.#drawn = undefined;
    if (isSmooth) this.#add(graph);
  }

  /** In the set-up of a pass that draws into the scene. */
  attachScene(builder: PassBuilder): void {
    const { targets } = this.#state;
    const last = this.#passes[this.#count - 1];
    // Into what an effect has made of it, too, where one has.
    if (!last || targets.color !== last.result) {
      targets.attachColor(builder);
      return;
    }
    targets.color = this.#drawn ?? last.source;
    targets.attachColor(builder);
    this.#drawn = targets.color;
    targets.color = last.result;
  }

  /** Behind a pass of a user's. @param isAdded false: it has failed, and what it has declared is gone */
  follow(graph: FrameGraph, isAdded: boolean): void {
    const drawn = this.#drawn;
    if (drawn === undefined) return;
    this.#drawn = undefined;
    if (!isAdded) return;
    const { targets } = this.#state;
    const last = this.#passes[this.#count - 1] as SmoothingPass;
    // The pass may have made something else of the colour as well: that is its picture.
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

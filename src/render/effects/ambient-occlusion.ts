import visibilityCode from '../../../shaders/ambient-visibility.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { EffectValues } from '../../proxy/effects.js';
import type { TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { Occluders } from '../ambient-occlusion/occluders.js';
import { VisibilityPasses } from '../ambient-occlusion/visibility-passes.js';
import { PassFormat } from '../keys/pass-format.js';
import type { PassShader } from '../pipelines/pass-shader.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { OccludedWorld, ViewAmbientOcclusion } from '../views/scene-view-state.js';
import type { Effect } from './effect.js';

/** Code of the mesh shader that reads the result. */
const SHADER: PassShader = {
  part: 'ambientOcclusion',
  passBit: PassFormat.ambientOcclusion,
  shaderCode: visibilityCode,
};

/**
 * Dims ambient and image-based light in corners and where objects touch. The visibility of each pixel's surface is
 * computed from depth, before the scene is lit. Direct and emitted light stay as they are.
 *
 *   forward:   occluders ─► depth ──┐
 *   deferred:  surfaces ─► depth ───┼─► view depth ─► visibility ─► smoothed ─► lighting of opaque surfaces
 *              [forward surfaces] ──┘
 */
export class AmbientOcclusion implements Effect<'ambientOcclusion'>, ViewAmbientOcclusion {
  readonly ambientOcclusion = this;
  readonly passBit = PassFormat.ambientOcclusion;
  readonly shader = SHADER;
  readonly #passes: VisibilityPasses;
  #occluders: Occluders | undefined;
  /** Renderer that `#occluders` was created for, as a bit of the pass format. */
  #renderer = 0;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines) {
    this.#passes = new VisibilityPasses(rhi, pipelines);
  }

  setOptions(options: EffectValues<'ambientOcclusion'>): void {
    this.#passes.setOptions(options);
  }

  prepare(world: OccludedWorld, view: DrawnView): void {
    const { state } = view;
    const renderer = state.targets.format & PassFormat.deferred;
    if (renderer !== this.#renderer) {
      // The renderer decides which surfaces the occluders contain, so another renderer needs other occluders.
      this.#occluders?.dispose();
      this.#occluders = undefined;
      this.#renderer = renderer;
    }
    this.#occluders ??= new Occluders(world, state, state.targets.format);
    this.#occluders.update(view);
    this.#passes.prepare(state);
  }

  addBeforeLight(graph: FrameGraph, depth?: GraphTexture): void {
    const occluders = this.#occluders as Occluders;
    const drawsOccluders = depth === undefined || !occluders.isEmpty;
    if (drawsOccluders) graph.addPass(occluders);
    const drawn = drawsOccluders ? occluders.depth.version : undefined;
    this.#passes.add(graph, depth ?? drawn, depth === undefined ? undefined : drawn);
  }

  declareRead(builder: PassBuilder): void {
    builder.read(this.#passes.result, 'sampled');
  }

  texture(context: PassContext): TextureHandle {
    return context.texture(this.#passes.result);
  }

  dispose(): void {
    this.#occluders?.dispose();
    this.#passes.dispose();
  }
}

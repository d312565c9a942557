import type { FrameGraph } from '../../graph/frame-graph.js';
import type { EffectName, EffectValues } from '../../proxy/effects.js';
import type { GpuStruct } from '../buffers/gpu-struct.js';
import type { SceneViewState } from '../views/scene-view-state.js';

/**
 * One effect in one view, from the first frame that shows it to the last.
 *
 *   scene passes ─► scene colour ─► addPasses: effects that read neighbouring pixels ─► scene colour ─► last pass: exposure,
 *                                   pixel: effects that change each pixel on its own, tone mapping
 */
export interface Effect<Name extends EffectName> {
  /** Sets the options. Called once at first, and after each change. */
  setOptions(options: EffectValues<Name>): void;
  /** Code that the last pass runs. */
  readonly pixel?: PixelEffect;
  /**
   * Per frame, after the passes of the scene: adds passes that read `view.targets.color` and replace it with
   * their result.
   */
  addPasses?(graph: FrameGraph, view: SceneViewState): void;
  dispose?(): void;
}

/** Shader code of an effect that changes each pixel on its own. */
export interface PixelEffect {
  /** WGSL of `fn <effect>(light: vec3f, point: vec2f, options: <Struct>) -> vec3f`, see `shaders/effects.wgsl`. */
  readonly code: string;
  /** Layout of `options`. */
  readonly struct: GpuStruct<string>;
  /** Values of the options, in the layout of `struct`. */
  readonly words: Float32Array;
}

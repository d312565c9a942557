import type { FrameGraph } from '../../graph/frame-graph.js';
import type { EffectName, EffectValues } from '../../proxy/effects.js';
import type { GpuStruct } from '../buffers/gpu-struct.js';
import type { SceneViewState } from '../views/scene-view-state.js';

/**
 * One effect in one view, from the frame that shows it first to the one that shows it last.
 *
 *   scene passes ─► scene colour ─► addPasses: effects that read neighbours ─► scene colour ─► last pass: exposure,
 *                                   pixel: effects that change each pixel by itself, tone mapping
 */
export interface Effect<Name extends EffectName> {
  /** Called first, and after each change. */
  setOptions(options: EffectValues<Name>): void;
  /** Code that the last pass runs. */
  readonly pixel?: PixelEffect;
  /** Per frame, behind the passes of the scene: adds passes that read `view.targets.color` and leave their result there. */
  addPasses?(graph: FrameGraph, view: SceneViewState): void;
  dispose?(): void;
}

/** Code that changes each pixel by itself. */
export interface PixelEffect {
  /** WGSL of `fn <effect>(light: vec3f, point: vec2f, options: <Struct>) -> vec3f`, see `shaders/effects.wgsl`. */
  readonly code: string;
  /** Layout of `options`. */
  readonly struct: GpuStruct<string>;
  /** The options' values, in that layout. */
  readonly words: Float32Array;
}

import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder } from '../../graph/graph-pass.js';
import type { EffectName, EffectValues } from '../../proxy/effects.js';
import type { BufferHandle, TextureHandle } from '../../rhi/commands/descriptors.js';
import type { GpuStruct } from '../buffers/gpu-struct.js';
import type { Scene } from '../scene/scene.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { OccludedWorld, SceneViewState, ViewAmbientOcclusion } from '../views/scene-view-state.js';

/**
 * One effect in one view, from the first frame that shows it to the last.
 *
 *   scene passes ─► scene colour ─► `addPasses` ─► scene colour ─► last pass: exposure, tone mapping, `pixel`
 *
 *   passBit     adds code to the shaders of surfaces and background
 *   addPasses   adds passes that read neighbouring pixels
 *   pixel       adds code to the last pass
 */
export interface Effect<Name extends EffectName> {
  /** Sets the options. Called once at first, and after each change. */
  setOptions(options: EffectValues<Name>): void;
  /** Set by ambient occlusion, whose result is needed before the scene is lit. */
  readonly ambientOcclusion?: ViewAmbientOcclusion;
  /** Set by screen-space reflections, which the deferred renderer draws. */
  readonly reflections?: EffectValues<'ssr'>;
  /** Bit of `PassFormat` for code that the shaders of surfaces and background run. */
  readonly passBit?: number;
  /** Whether the effect draws colours that tone mapping must not change. */
  readonly drawsUnmapped?: boolean;
  /**
   * Per frame, outside passes, after the view has been culled and lights have been packed: prepares passes, and writes
   * uniforms of `passBit`'s code to the view.
   */
  prepareView?(view: DrawnView, world: EffectWorld): void;
  /** Whether the effect changes tones, which unmapped colours must not follow. */
  readonly isGrading?: boolean;
  /**
   * Per frame, outside passes: updates `pixel.words`.
   * @param frame number of the frame
   * @param timeSeconds scene time of the frame
   */
  beginFrame?(frame: number, timeSeconds: number): void;
  /** Code that the last pass runs. */
  readonly pixel?: PixelEffect;
  /**
   * Per frame, after the passes of the scene: adds passes that read `view.targets.color` and replace it with
   * their result.
   */
  addPasses?(graph: FrameGraph, view: SceneViewState): void;
  /** Declares reads of the last pass, in its set-up. Called per frame, after `addPasses`. */
  declareRead?(builder: PassBuilder): void;
  /**
   * Returns the distance in pixels from which the effect reads pixels, if it may be large. Tiles of a captured picture
   * are drawn with a margin of that width.
   * @param size larger side of the picture, in pixels
   */
  reach?(size: number): number;
  dispose?(): void;
}

/**
 * Place of an effect's code in the last pass, with the arguments of its function before `options`:
 *
 *   exposure  factor on light: `exposure: f32, pixel: vec2u`
 *   light     exposed light, before tone mapping: `light: vec3f, point: vec2f`
 *   grading   tone-mapped colours, but not unmapped colours or the background: `color: vec3f, point: vec2f`
 *   lens      reads the picture at any pixel by `pictureAt`, and returns a pixel: `pixel: vec2u`
 *   film      the finished picture, multiplied by its alpha: `picture: vec4f, pixel: vec2u`
 */
export type PixelStage = 'exposure' | 'light' | 'grading' | 'lens' | 'film';

/** Shader code of an effect that the last pass runs. */
export interface PixelEffect {
  /** Default: `light`. At most one effect is a lens. */
  readonly stage?: PixelStage;
  /** WGSL of `fn <effect>(…, options: <Struct>)`, with the arguments of its stage. It returns the changed value. */
  readonly code: string;
  /** Layout of `options`. */
  readonly struct: GpuStruct<string>;
  /** Values of the options, in the layout of `struct`. */
  readonly words: Float32Array;
  /** Texture that the code reads as `effectTable`. At most one effect has one. */
  readonly texture?: TextureHandle | undefined;
  /** Uniforms that passes write and the code declares at binding 5. At most one effect has them. */
  readonly buffer?: BufferHandle;
}

/** The parts of a world that effects read. */
export interface EffectWorld extends Pick<OccludedWorld, 'rhi' | 'stores' | 'layout' | 'createPass'> {
  readonly scene: Scene;
  /** The environment as the background; undefined: the background is plain. */
  readonly sky: object | undefined;
}

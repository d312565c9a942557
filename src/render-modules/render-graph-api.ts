/** What a render module adds passes to the frame graph with: `api.graph`. Types of the graph itself: `graph/graph-pass.ts`. */
import type { UserPass } from '../graph/checked-pass.js';
import type { GraphTexture, PassBuilder } from '../graph/graph-pass.js';
import type { RenderFrame } from './render-module-api.js';

/**
 * Where in the frame a pass stands: `frame`, once, before all views; `view`, once for each view, between its scene and its
 * tone mapping; `picture`, once, over the finished picture of the surface.
 */
export type PassStage = 'frame' | 'view' | 'picture';

export interface RenderGraph {
  /**
   * Adds a pass to every frame from the next one on, behind those of its stage that are there. A pass that throws is
   * reported (`render-module-threw`) and ended; the frame goes on without it.
   * @param create called once; for `view` once for each view, so that what the pass keeps is that view's, and once more where the
   *   view's `colorFormat` has become another one (`engine.hdr`)
   * @returns a function that removes it
   * @throws GraphError `graph-pass-invalid`, where the stage is none or `create` no function
   */
  addPass(stage: 'frame', create: (frame: RenderFrame) => RenderPass): () => void;
  addPass(stage: 'view', create: (view: PassView) => RenderPass): () => void;
  addPass(stage: 'picture', create: (picture: PassPicture) => RenderPass): () => void;
}

/**
 * A pass: `setup` in every frame, `prepare` and `execute` in those that need what it writes. What it creates while they run is
 * destroyed when it is removed.
 */
export type RenderPass = UserPass;

/** A view, for as long as there is one. Numbers and textures are those of the frame that is being made. */
export interface PassView extends RenderFrame {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Samples per pixel of `depth`, and of what `attachScene` attaches. */
  readonly sampleCount: 1 | 4;
  /** `rgba16float`: linear, premultiplied by coverage, before exposure and tone mapping. */
  readonly colorFormat: GPUTextureFormat;
  /** `depth32float`, reversed: 1 at the near plane, 0 far away. */
  readonly depthFormat: GPUTextureFormat;
  /**
   * The picture so far, one sample per pixel. What is assigned here in a set-up is what tone mapping reads: the next version
   * of it, or another texture of this size, which a pass has written.
   */
  color: GraphTexture;
  readonly depth: GraphTexture;
  /**
   * Metres. With a perspective camera, what has the depth d is near · far / (near + d · (far − near)) metres away, along the
   * way the camera looks; near / d where `far` is infinite.
   */
  readonly near: number;
  readonly far: number;
  readonly isOrthographic: boolean;
  /**
   * 16 numbers, column by column, as WGSL has matrices: clip space from world coordinates in metres.
   * @param out where they go; a new array by default
   */
  clipFromWorld(out?: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer>;
  /** Likewise, as it was in the last frame that drew the view: where what stands still was on the screen. As now, in the first one. */
  previousClipFromWorld(out?: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer>;
  /** Pixels, right and down, by which this frame's picture is moved; `clipFromWorld` has it in it. */
  readonly jitter: readonly [x: number, y: number];
  /**
   * Moves the picture of the next frame, and of that one alone, so that frames that are averaged see other points of each pixel.
   * @param x, y pixels, right and down, -1 to 1
   * @throws GraphError `graph-jitter-refused`
   */
  jitterNext(x: number, y: number): void;
  /** Metres, world coordinates. */
  cameraPosition(out?: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer>;
  /**
   * In the set-up of a raster pass: it draws into the scene, at slot 0 and against depth, with `sampleCount` samples.
   * Where those are several, no pass before may have assigned `color`.
   * @throws GraphError `graph-scene-resolved`
   */
  attachScene(builder: PassBuilder): void;
}

/** The picture on the surface. */
export interface PassPicture extends RenderFrame {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** An sRGB format: shaders return linear colours. */
  readonly format: GPUTextureFormat;
  /** In the set-up of a raster pass: it draws over the picture, at slot 0. @throws GraphError */
  attach(builder: PassBuilder): void;
}

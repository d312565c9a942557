/**
 * The types of `api.graph`, with which a render module adds passes to the frame graph. See also
 * `graph/graph-pass.ts`.
 */
import type { UserPass } from '../graph/checked-pass.js';
import type { GraphTexture, PassBuilder } from '../graph/graph-pass.js';
import type { RenderFrame } from './render-module-api.js';

/**
 * The stage of the frame in which a pass runs. `frame`: once, before all views. `view`: once per view, between its
 * scene and its tone mapping. `picture`: once, over the finished picture of the surface.
 */
export type PassStage = 'frame' | 'view' | 'picture';

export interface RenderGraph {
  /**
   * Adds a pass to every frame from the next recorded one on, after the existing passes of its stage. If a pass throws,
   * the error is reported (`render-module-threw`) and the pass is removed; the frame continues without it.
   * @param create creates the pass, and is called once. For `view` it is called once per view, so that each pass keeps
   *   the state of one view, and again if the view's `colorFormat` changes (`engine.hdr`)
   * @returns a function that removes the pass
   * @throws GraphError `graph-pass-invalid` for an unknown stage, or if `create` is not a function; StateError
   *   `render-module-removed`
   */
  addPass(stage: 'frame', create: (frame: RenderFrame) => RenderPass): () => void;
  addPass(stage: 'view', create: (view: PassView) => RenderPass): () => void;
  addPass(stage: 'picture', create: (picture: PassPicture) => RenderPass): () => void;
}

/**
 * A pass of a render module. Every frame calls `setup`; frames that need its results also call `prepare` and `execute`.
 * Resources that the pass creates in these calls are destroyed when the pass is removed.
 */
export type RenderPass = UserPass;

/**
 * The view that a pass of the stage `view` draws. The object stays the same for the view's lifetime. Its numbers and
 * textures belong to the frame that is being recorded.
 */
export interface PassView extends RenderFrame {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Samples per pixel of `depth`, and of the attachments of `attachScene`. */
  readonly sampleCount: 1 | 4;
  /**
   * `rgba16float`: linear, premultiplied by coverage, before exposure and tone mapping. With `hdr: false`: the
   * surface's format, with sRGB colours after exposure and tone mapping.
   */
  readonly colorFormat: GPUTextureFormat;
  /** `depth32float`, reversed: 1 at the near plane, 0 far away. */
  readonly depthFormat: GPUTextureFormat;
  /**
   * The picture so far, one sample per pixel. A pass can assign another texture in its `setup`, which tone mapping then
   * reads. The assigned texture must be the next version of this texture, or one of this size that a pass has written.
   * It must have one sample per pixel and a float or unorm format. Otherwise the assignment throws a GraphError,
   * `graph-color-refused`.
   */
  color: GraphTexture;
  readonly depth: GraphTexture;
  /**
   * Distance of the near plane in metres. With a perspective camera, a depth d means a distance of near · far / (near +
   * d · (far − near)) metres along the camera's direction. If `far` is infinite, the distance is near / d.
   */
  readonly near: number;
  readonly far: number;
  readonly isOrthographic: boolean;
  /**
   * Returns the matrix from world coordinates in metres to clip space: 16 numbers, column by column, as in WGSL.
   * @param out receives the numbers; default: a new array
   */
  clipFromWorld(out?: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer>;
  /**
   * Returns `clipFromWorld` of the previous frame that drew the view, for the previous screen positions of static
   * objects. In the first frame of a view, or of another camera, it equals `clipFromWorld`.
   */
  previousClipFromWorld(out?: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer>;
  /** Offset of this frame's picture in pixels, right and down. `clipFromWorld` includes it. */
  readonly jitter: readonly [x: number, y: number];
  /**
   * Offsets the picture of the next frame only, so that averaged frames sample different points of each pixel.
   * @param x, y pixels, right and down, -1 to 1
   * @throws GraphError `graph-jitter-refused`
   */
  jitterNext(x: number, y: number): void;
  /** Returns the camera's position in world coordinates, in metres. */
  cameraPosition(out?: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer>;
  /**
   * Attaches the scene's colour (slot 0) and depth to a raster pass, with `sampleCount` samples. Call it in the pass's
   * `setup`. With several samples, no earlier pass may have assigned `color`.
   * @throws GraphError `graph-scene-resolved`
   */
  attachScene(builder: PassBuilder): void;
}

/** The picture on the surface. */
export interface PassPicture extends RenderFrame {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** An sRGB format, so that shaders return linear colours. */
  readonly format: GPUTextureFormat;
  /**
   * Attaches the picture (slot 0) to a raster pass, which draws over it. Call it in the pass's `setup`.
   * @throws GraphError
   */
  attach(builder: PassBuilder): void;
}

import type { FrameGraph, ImportOptions } from '../../graph/frame-graph.js';
import type { GraphTexture, GraphTextureDescriptor } from '../../graph/graph-pass.js';
import type { TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { CaptureReadback } from './capture-readback.js';
import { fitSurface } from './fit-surface.js';
import { PicturePass } from './picture-pass.js';
import type { ViewInfo } from './view-info.js';
import type { ViewPicture } from './view-picture.js';

/**
 * The engine's own canvas, and the picture of the views on it. Drawing to the viewport continues until `end`, because
 * the picture is read back after the graph has run.
 *
 *   beginDrawingViewport │ scenes of views, tone mapping │ copy │ endDrawingViewport │ read-backs
 *                        │ or one view's scene, in place │
 */
export class SurfacePicture {
  /** Views of this frame, in order. */
  readonly views: ViewInfo[] = [];
  /** Format in which tone mapping draws to surfaces. */
  readonly format: GPUTextureFormat;
  readonly picture: PicturePass;
  /** Size in physical pixels. */
  width = 0;
  height = 0;
  /** Physical pixels per CSS pixel. */
  pixelRatio = 1;
  readonly #rhi: ImmediateContext;
  readonly #handle: TextureHandle;
  readonly #readback: CaptureReadback;
  readonly #import: ImportOptions;
  #descriptor: GraphTextureDescriptor;

  /** @param format format of the canvas */
  constructor(rhi: ImmediateContext, format: GPUTextureFormat) {
    this.#rhi = rhi;
    this.#handle = rhi.createViewportTarget('surface');
    this.#descriptor = { name: 'surface', width: 0, height: 0, format };
    this.format = `${format}-srgb` as GPUTextureFormat;
    this.picture = new PicturePass('tone mapping', this.views, this.format);
    this.#readback = new CaptureReadback(rhi);
    this.#import = {
      hasContents: false,
      acquire: () => rhi.beginDrawingViewport(this.#handle, this.width, this.height),
    };
  }

  /** Whether the surface has pixels. */
  get isShown(): boolean {
    return this.width > 0 && this.height > 0;
  }

  resize(width: number, height: number, pixelRatio: number, largestSize: number): void {
    fitSurface(this, width, height, pixelRatio, largestSize);
    this.#descriptor = { ...this.#descriptor, width: this.width, height: this.height };
  }

  /** Per frame, outside passes, if the picture will be read back: prepares the buffer. */
  prepareReads(): void {
    if (this.isShown) this.#readback.prepare(this.width, this.height);
  }

  /**
   * Per frame in which the surface has pixels: adds the passes of the views on it.
   * @param main the active camera's view; without a camera, only its background is drawn
   * @param isInPlace whether `main` is drawn straight into the canvas. It must then be the only view, and draw display
   * colours.
   */
  addPasses(graph: FrameGraph, main: ViewPicture, isInPlace: boolean): void {
    const { picture } = this;
    const { targets } = main.state;
    targets.shown = isInPlace ? this.#importInto(graph) : undefined;
    for (const view of this.views) view.addPasses(graph);
    if (isInPlace) {
      picture.target = targets.color;
    } else {
      picture.target = this.#importInto(graph);
      graph.addPass(picture);
    }
  }

  /**
   * Ends the drawing, after the graph has run, and reads the surface back. If the surface has no pixels, requests are
   * answered with meaningless bytes.
   * @param first request for the picture; 0: none
   * @param second second request for the picture; 0: none
   */
  end(first: number, second: number): void {
    if (!this.isShown) {
      if (first) this.#readback.recordEmpty(first);
      if (second) this.#readback.recordEmpty(second);
      return;
    }
    if (first || second) this.#readback.copy(this.#handle);
    this.#rhi.endDrawingViewport(this.#handle);
    if (first) this.#readback.answer(first);
    if (second) this.#readback.answer(second);
  }

  #importInto(graph: FrameGraph): GraphTexture {
    return graph.importTexture(this.#descriptor, this.#handle, this.#import);
  }

  dispose(): void {
    this.#readback.dispose();
    this.#rhi.destroy(this.#handle);
  }
}

import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines, ScreenShader } from '../pipelines/screen-pipelines.js';
import { MappedPicture } from './mapped-picture.js';
import { PictureDraw } from './picture-draw.js';
import type { ToneMapPass } from './tone-map-pass.js';
import type { ViewPlace } from './view-info.js';
import type { ViewPicture } from './view-picture.js';

/** Values of the shader's constant `isDisplayed`: whether a picture without an sRGB format is read. */
const LINEAR = { isDisplayed: 0 };
const DISPLAYED = { isDisplayed: 1 };

interface PictureSmoothingOptions {
  readonly shader: ScreenShader;
  /** Entry point of the last pass. */
  readonly entryPoint: string;
  /** Texture that the last pass reads besides the mapped picture. */
  readonly second?: ScreenTexture;
}

/**
 * Smooths the edges of a view's tone-mapped picture. It draws the picture in the last pass, instead of tone mapping.
 *
 *   scene colour ─► tone mapping ─► mapped picture ─► last pass: smoothed picture in the view's rectangle of the target
 */
export abstract class PictureSmoothing {
  protected readonly picture: ViewPicture;
  protected readonly mapped: MappedPicture;
  readonly #draw: PictureDraw;

  constructor(
    picture: ViewPicture,
    toneMap: ToneMapPass,
    pipelines: ScreenPipelines,
    options: PictureSmoothingOptions,
  ) {
    this.picture = picture;
    this.mapped = new MappedPicture(picture, toneMap);
    const source = this.mapped.texture;
    this.#draw = new PictureDraw(picture.world.rhi, pipelines, { ...options, source });
  }

  /** Values of the shader's constants, which depend on the format of the mapped picture. */
  protected get constants(): Readonly<Record<string, number>> {
    return this.picture.state.look.hdr ? LINEAR : DISPLAYED;
  }

  /**
   * Per frame, outside passes: prepares tone mapping, and adopts the view's size.
   * @param isTranslucent see `ToneMapPass.prepare`
   */
  prepare(place: ViewPlace, isTranslucent: boolean): void {
    this.mapped.prepareView(place, isTranslucent);
  }

  /** Per frame, after the passes of the view's effects: adds the passes that the last pass depends on. */
  addPasses(graph: FrameGraph): void {
    graph.addPass(this.mapped);
  }

  /** Declares the textures that the last pass reads. Called in the set-up of the last pass. */
  declareReads(builder: PassBuilder): void {
    this.#draw.declareRead(builder);
  }

  /** Updates bind group and pipeline. Called in `prepare` of the last pass. @param format format of its target */
  bind(context: PassContext, format: GPUTextureFormat): void {
    this.#draw.bind(context, format, this.constants, this.picture.state.look.isOverlay);
  }

  /** Draws the picture. Called in `execute` of the last pass. */
  record(): void {
    this.#draw.record();
  }

  dispose(): void {
    this.#draw.dispose();
  }
}

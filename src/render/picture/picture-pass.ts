import type { GraphPass, GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { ViewLook } from '../views/view-look.js';
import type { ViewInfo } from './view-info.js';

/**
 * Draws the tone-mapped pictures of views into a target, each in its rectangle. Only mip levels and passes of modules
 * follow on the target. The background fills the rest of the target. While the pipeline is being compiled, the
 * background fills the whole target. If the background is translucent, the filled area is transparent.
 */
export class PicturePass implements GraphPass {
  readonly name: string;
  readonly kind = 'raster';
  /** The target's newest version in this frame. */
  target!: GraphTexture;
  readonly #views: readonly ViewInfo[];
  /** Format in which module passes write the target. It encodes sRGB. */
  readonly format: GPUTextureFormat;
  /** Format in which the target is written if surfaces have already encoded their colours. */
  readonly #displayFormat: GPUTextureFormat;
  readonly #clear: [number, number, number, number] = [0, 0, 0, 0];
  readonly #options;

  /** @param views views of the frame; the list may change with each frame */
  constructor(name: string, views: readonly ViewInfo[], format: GPUTextureFormat) {
    this.name = name;
    this.#views = views;
    this.format = format;
    this.#displayFormat = format.replace('-srgb', '') as GPUTextureFormat;
    this.#options = { clear: this.#clear, viewFormat: format, mipLevel: 0 };
  }

  /**
   * Per frame, after the views have been prepared: prepares the tone mapping of the views.
   * @param look decides the format and the background, and whether the page is visible through the background
   */
  prepareViews(look: ViewLook): void {
    const { background, isTranslucent } = look;
    this.#options.viewFormat = look.hdr ? this.format : this.#displayFormat;
    for (let channel = 0; channel < 3; channel++) {
      this.#clear[channel] = isTranslucent ? 0 : (background[channel] as number);
    }
    this.#clear[3] = isTranslucent ? 0 : 1;
    for (const view of this.#views) view.prepare(isTranslucent);
  }

  /** Format in which this pass writes the target. */
  get viewFormat(): GPUTextureFormat {
    return this.#options.viewFormat;
  }

  setup(builder: PassBuilder): void {
    for (const { picture } of this.#views) picture.declareReads(builder);
    this.target = builder.color(this.target, this.#options);
  }

  prepare(context: PassContext): void {
    for (const { picture } of this.#views) picture.bind(context, this.viewFormat);
  }

  execute(): void {
    for (const view of this.#views) view.recordPicture(this.viewFormat);
  }
}

import type { GraphPass, GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { ViewLook } from '../views/view-look.js';
import type { ViewInfo } from './view-info.js';

/**
 * The last pass over a target: it draws the tone-mapped pictures of views, each in its rectangle. The
 * background fills the rest of the target. While the pipeline is being compiled, it fills the whole target. A
 * translucent background leaves that area transparent.
 */
export class PicturePass implements GraphPass {
  readonly name: string;
  readonly kind = 'raster';
  /** The newest version of this frame. */
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
   * @param look decides the format, the background of the rest, and whether the page is visible through it
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
    for (const { state } of this.#views) {
      const { color, unmappedColor } = state.targets;
      builder.read(color, 'sampled');
      if (unmappedColor !== undefined) builder.read(unmappedColor, 'sampled');
    }
    this.target = builder.color(this.target, this.#options);
  }

  prepare(context: PassContext): void {
    for (const {
      picture: { toneMap, effects },
    } of this.#views)
      toneMap.bind(context, this.viewFormat, effects);
  }

  execute(): void {
    for (const view of this.#views) view.recordPicture(this.viewFormat);
  }
}

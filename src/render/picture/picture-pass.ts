import type { GraphPass, GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { OutputSettings } from '../views/output-settings.js';
import type { ViewOutput } from './view-output.js';

/**
 * The last pass over a target: the pictures of views, tone-mapped, each in its place. What no view covers is the
 * background, and so is all of it while the pipeline is being compiled; nothing where the background is translucent.
 */
export class PicturePass implements GraphPass {
  readonly name: string;
  readonly kind = 'raster';
  /** The newest version, of this frame. */
  target!: GraphTexture;
  readonly #outputs: readonly ViewOutput[];
  /** As which passes of modules write the target: one that encodes sRGB. */
  readonly format: GPUTextureFormat;
  /** As which it is written where surfaces have encoded their colours already. */
  readonly #displayFormat: GPUTextureFormat;
  readonly #clear: [number, number, number, number] = [0, 0, 0, 0];
  readonly #options;

  /**
   * @param outputs those of the frame; the list may change with each
   */
  constructor(name: string, outputs: readonly ViewOutput[], format: GPUTextureFormat) {
    this.name = name;
    this.#outputs = outputs;
    this.format = format;
    this.#displayFormat = format.replace('-srgb', '') as GPUTextureFormat;
    this.#options = { clear: this.#clear, viewFormat: format, mipLevel: 0 };
  }

  /** Per frame. */
  setOutput({ red, green, blue, alpha, displayCode }: OutputSettings): void {
    this.#options.viewFormat = displayCode ? this.#displayFormat : this.format;
    const isOpaque = Number(alpha >= 1);
    this.#clear[0] = red * isOpaque;
    this.#clear[1] = green * isOpaque;
    this.#clear[2] = blue * isOpaque;
    this.#clear[3] = isOpaque;
  }

  /** As which it writes the target. */
  get viewFormat(): GPUTextureFormat {
    return this.#options.viewFormat;
  }

  setup(builder: PassBuilder): void {
    for (const { state } of this.#outputs) {
      const { color, unmappedColor } = state.targets;
      builder.read(color, 'sampled');
      if (unmappedColor !== undefined) builder.read(unmappedColor, 'sampled');
    }
    this.target = builder.color(this.target, this.#options);
  }

  prepare(context: PassContext): void {
    for (const { toneMap, effects } of this.#outputs) toneMap.bind(context, this.viewFormat, effects);
  }

  execute(): void {
    for (const output of this.#outputs) output.recordPicture(this.viewFormat);
  }
}

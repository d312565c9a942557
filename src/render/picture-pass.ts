import type { GraphPass, GraphTexture, PassBuilder, PassContext } from '../graph/graph-pass.js';
import { writeBackground } from './display-colors.js';
import type { OutputSettings } from './tone-map-pass.js';
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
  /** As which it is written where scene colour is encoded already. */
  readonly #displayFormat: GPUTextureFormat;
  readonly #clear: [number, number, number, number] = [0, 0, 0, 0];
  readonly #options;

  /**
   * @param outputs those of the frame; the list may change with each
   * @param displayFormat the same without encoding, where the target can be written so
   */
  constructor(
    name: string,
    outputs: readonly ViewOutput[],
    format: GPUTextureFormat,
    displayFormat: GPUTextureFormat = format,
  ) {
    this.name = name;
    this.#outputs = outputs;
    this.format = format;
    this.#displayFormat = displayFormat;
    this.#options = { clear: this.#clear, viewFormat: format, mipLevel: 0 };
  }

  /** Per frame: how it is drawn now. */
  setOutput(output: OutputSettings): void {
    const { format } = this;
    this.#options.viewFormat = output.displayCode ? this.#displayFormat : format;
    const isEncoded = this.viewFormat !== format;
    this.#clear.fill(0);
    if (output.alpha < 1) return;
    writeBackground(this.#clear, 0, output, isEncoded);
    this.#clear[3] = 1;
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
    for (const { toneMap } of this.#outputs) toneMap.bind(context);
  }

  execute(): void {
    for (const output of this.#outputs) output.recordPicture(this.viewFormat);
  }
}

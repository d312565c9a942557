import { displayNumberOf, PassFormat } from './pass-format.js';
import { displayColorCode } from './tone-curves.js';

/** Format of scene colour that holds linear light. */
export const SCENE_COLOR_FORMAT = 'rgba16float';

/** Returns the `PassFormat` bits for scene colour in display colours. @param toneMapping index in `TONE_MAPPINGS` */
export const displayFormat = (toneMapping: number): number => (toneMapping + 1) * PassFormat.displayed;

/**
 * Scene colour for display, used if the page asks for no high dynamic range (`hdr: false`). Scene colour is
 * then sRGB, and the shader of each surface applies tone mapping. Each tone mapping has a number in the pass
 * format, because it needs its own pipelines.
 *
 *   number 0      linear light in half floats; the last pass maps tones
 *   number 1 …    8 bits, sRGB; the last pass maps no tones, or is omitted
 */
export class DisplayColors {
  readonly #surfaceFormat: GPUTextureFormat;

  constructor(surfaceFormat: GPUTextureFormat) {
    this.#surfaceFormat = surfaceFormat;
  }

  /** Returns WGSL of `displayColor`; empty for linear light. @param format bits of `PassFormat` */
  code(format: number): string {
    const number = displayNumberOf(format);
    return number === 0 ? '' : displayColorCode(number - 1);
  }

  /** Returns the format of scene colour. @param format bits of `PassFormat` */
  colorFormat(format: number): GPUTextureFormat {
    return displayNumberOf(format) === 0 ? SCENE_COLOR_FORMAT : this.#surfaceFormat;
  }
}

import { displayCodeOf, PassFormat } from './pass-format.js';

/** Format of scene colour that holds linear light. */
export const SCENE_COLOR_FORMAT = 'rgba16float';

/**
 * Codes that convert colours for display, used if the page asks for no high dynamic range (`hdr: false`).
 * Scene colour is then sRGB, and the shader of each surface maps its tones. Each WGSL of `fn
 * displayColor(color: vec4f) -> vec4f` has a number. The number is part of a pass format, because each code
 * needs its own pipelines.
 *
 *   number 0      linear light in half floats; the last pass maps tones
 *   number 1 …    8 bits, sRGB; the last pass only copies the picture, or is omitted
 */
export class DisplayColors {
  /** Factor on all light. */
  exposure = 1;
  readonly #codes: string[] = [''];
  readonly #displayFormat: GPUTextureFormat;

  /** @param displayFormat format of the surface */
  constructor(displayFormat: GPUTextureFormat) {
    this.#displayFormat = displayFormat;
  }

  /** Returns bits of `PassFormat`. @param code WGSL; empty: linear light */
  passFormat(code: string): number {
    let number = this.#codes.indexOf(code);
    if (number < 0) number = this.#codes.push(code) - 1;
    return number * PassFormat.displayed;
  }

  /** Returns the WGSL of a format. @param format bits of `PassFormat` */
  code(format: number): string {
    return this.#codes[displayCodeOf(format)] as string;
  }

  /** Returns the format of scene colour. @param format bits of `PassFormat` */
  colorFormat(format: number): GPUTextureFormat {
    return displayCodeOf(format) === 0 ? SCENE_COLOR_FORMAT : this.#displayFormat;
  }
}

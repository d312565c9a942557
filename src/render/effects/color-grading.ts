import code from '../../../shaders/color-grading.wgsl?raw';
import type { TableData } from '../../proxy/color-table.js';
import type { EffectValues } from '../../proxy/effects.js';
import { type TextureHandle, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import type { Effect, PixelEffect } from './effect.js';
import { whiteBalance } from './white-balance.js';

const GpuColorGrading = /* @__PURE__ */ defineGpuStruct('ColorGrading', {
  /** Columns of a matrix that shifts white. */
  balance: ['vec4f', 3],
  lift: 'vec3f',
  contrast: 'f32',
  inverseGamma: 'vec3f',
  saturation: 'f32',
  gain: 'vec3f',
  tableAmount: 'f32',
  /** Input at the first texel of the table. */
  least: 'vec3f',
  /** Index of the table's last texel along an axis. */
  last: 'f32',
  /** Texels per unit of input. */
  scale: 'vec3f',
  isCube: 'u32',
});
const { at } = GpuColorGrading;

/** Table that changes nothing, which is bound while there is no other one. */
const IDENTITY: TableData = {
  size: 2,
  isCube: false,
  least: [0, 0, 0],
  most: [1, 1, 1],
  texels: new Float32Array([0, 0, 0, 1, 1, 1, 1, 1]),
};

/**
 * Changes the tones of the finished picture, after tone mapping (`shaders/color-grading.wgsl`).
 *
 *   mapped colour ─► white balance ─► sRGB ─► lift, gamma, gain ─► contrast ─► saturation ─► table ─► shown colour
 */
export class ColorGrading implements Effect<'colorGrading'> {
  readonly pixel: PixelEffect & { texture: TextureHandle | undefined };
  readonly #rhi: ImmediateContext;
  #table: TableData | undefined;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    const words = new Float32Array(GpuColorGrading.words);
    this.pixel = { code, struct: GpuColorGrading, words, stage: 'grading', texture: undefined };
  }

  setOptions(options: EffectValues<'colorGrading'>): void {
    const { words } = this.pixel;
    const table = options.table ?? IDENTITY;
    const balance = whiteBalance(options.temperature, options.tint);
    for (let column = 0; column < 3; column++) {
      for (let row = 0; row < 3; row++) {
        words[at.balance + column * 4 + row] = balance[row * 3 + column] as number;
      }
    }
    words.set(options.lift, at.lift);
    words.set(options.gain, at.gain);
    for (let channel = 0; channel < 3; channel++) {
      const [least = 0, most = 1] = [table.least[channel], table.most[channel]];
      words[at.inverseGamma + channel] = 1 / (options.gamma[channel] as number);
      words[at.least + channel] = least;
      words[at.scale + channel] = (table.size - 1) / (most - least);
    }
    words[at.contrast] = options.contrast;
    words[at.saturation] = options.saturation;
    words[at.tableAmount] = options.table ? options.tableAmount : 0;
    words[at.last] = table.size - 1;
    new Uint32Array(words.buffer)[at.isCube] = table.isCube ? 1 : 0;
    if (table !== this.#table) this.#createTexture(table);
  }

  dispose(): void {
    this.#rhi.destroy(this.pixel.texture);
    this.pixel.texture = this.#table = undefined;
  }

  #createTexture(table: TableData): void {
    const rhi = this.#rhi;
    const { size, isCube, texels } = table;
    this.#table = table;
    rhi.destroy(this.pixel.texture);
    const [width, height] = isCube ? [size * size, size] : [size, 1];
    this.pixel.texture = rhi.createTexture({
      label: 'color grading',
      width,
      height,
      format: 'rgba32float',
      usage: TextureUsage.textureBinding | TextureUsage.copyTarget,
    });
    const region = { width, height, bytesPerRow: width * 16 };
    // Other views may use the same table, so a copy is handed over.
    rhi.writeTextureFromAttachment(this.pixel.texture, region, texels.slice().buffer);
  }
}

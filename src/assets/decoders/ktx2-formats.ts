/**
 * The supported formats of KTX2 textures by Vulkan's numbers, and their WebGPU formats. Most are uploaded unchanged.
 * Other channel orders, pixels of three channels and 32-bit floats are converted.
 */
import { TEXEL_FORMATS, type TexelFormat } from '../../proxy/images/texels.js';
import { toHalf } from './radiance-hdr.js';

export interface Ktx2Format {
  readonly format: TexelFormat;
  /** Bytes of one texel in the file, if texels are converted. */
  readonly bytes?: number;
  readonly convert?: (from: DataView, to: DataView, count: number) => void;
}

const HALF_ONE = 0x3c00;

/**
 * Returns a format with one byte per channel. Its pixels are converted to RGBA8.
 * @param bytes bytes of the file's pixels
 * @param places byte of each channel within the file's pixel; −1 if the channel is missing
 */
const bytesFormat = (bytes: number, ...places: readonly [number, number, number, number]): Ktx2Format => ({
  format: 'rgba8unorm',
  bytes,
  convert: (from, to, count) => {
    for (let texel = 0; texel < count; texel++) {
      for (let channel = 0; channel < 4; channel++) {
        const place = places[channel] as number;
        const absent = channel === 3 ? 255 : 0;
        to.setUint8(texel * 4 + channel, place < 0 ? absent : from.getUint8(texel * bytes + place));
      }
    }
  },
});

/**
 * Returns a format whose 32-bit floats are converted to half floats, because not every device filters 32-bit floats.
 * @param channels channels of the file's pixels
 * @param into channels of the GPU's pixels
 */
const floatsFormat = (format: TexelFormat, channels: number, into = channels): Ktx2Format => ({
  format,
  bytes: channels * 4,
  convert: (from, to, count) => {
    for (let texel = 0; texel < count; texel++) {
      for (let channel = 0; channel < into; channel++) {
        const value =
          channel < channels ? halfOf(from.getFloat32((texel * channels + channel) * 4, true)) : HALF_ONE;
        to.setUint16((texel * into + channel) * 2, value, true);
      }
    }
  },
});

/** Returns the half float of a number, or the nearest finite one if out of range. NaN becomes 0. */
function halfOf(value: number): number {
  if (Number.isNaN(value)) return 0;
  return toHalf(Math.min(65504, Math.abs(value))) | (value < 0 ? 0x8000 : 0);
}

const halvesOfThree: Ktx2Format = {
  format: 'rgba16float',
  bytes: 6,
  convert: (from, to, count) => {
    for (let texel = 0; texel < count; texel++) {
      for (let channel = 0; channel < 3; channel++)
        to.setUint16(texel * 8 + channel * 2, from.getUint16(texel * 6 + channel * 2, true), true);
      to.setUint16(texel * 8 + 6, HALF_ONE, true);
    }
  },
};

/**
 * Formats by Vulkan's number. A format with a linear and an sRGB variant has both numbers. The texture's use decides
 * which variant is read.
 */
const formats = new Map<number, Ktx2Format>();
const add = (format: Ktx2Format | TexelFormat, ...numbers: readonly number[]): void => {
  for (const number of numbers) formats.set(number, typeof format === 'string' ? { format } : format);
};
add('r8unorm', 9, 15);
add('rg8unorm', 16, 22);
add(bytesFormat(3, 0, 1, 2, -1), 23, 29);
add(bytesFormat(3, 2, 1, 0, -1), 30, 36);
add('rgba8unorm', 37, 43);
add(bytesFormat(4, 2, 1, 0, 3), 44, 50);
add('r16float', 76);
add('rg16float', 83);
add(halvesOfThree, 90);
add('rgba16float', 97);
add(floatsFormat('r16float', 1), 100);
add(floatsFormat('rg16float', 2), 103);
add(floatsFormat('rgba16float', 3, 4), 106);
add(floatsFormat('rgba16float', 4), 109);
add('rg11b10ufloat', 122);
add('rgb9e5ufloat', 123);
add('bc1-rgba-unorm', 131, 132, 133, 134);
add('bc2-rgba-unorm', 135, 136);
add('bc3-rgba-unorm', 137, 138);
add('bc4-r-unorm', 139);
add('bc5-rg-unorm', 141);
add('bc6h-rgb-ufloat', 143);
add('bc6h-rgb-float', 144);
add('bc7-rgba-unorm', 145, 146);
add('etc2-rgb8unorm', 147, 148);
add('etc2-rgb8a1unorm', 149, 150);
add('etc2-rgba8unorm', 151, 152);
add('eac-r11unorm', 153);
add('eac-rg11unorm', 155);
// Vulkan orders the ASTC formats by block size, as `TEXEL_FORMATS` does.
TEXEL_FORMATS.filter((format) => format.startsWith('astc')).forEach((format, index) => {
  add(format, 157 + index * 2, 158 + index * 2);
});

/** Returns the format by Vulkan's number; undefined if it is not supported. */
export const ktx2Format = (vulkanFormat: number): Ktx2Format | undefined => formats.get(vulkanFormat);

/**
 * Returns the conversion of `r8unorm` and `rg8unorm` to RGBA8, because they have no sRGB variant in WebGPU; undefined
 * for other formats. Missing colours become 0, and alpha becomes 1.
 */
export const asRgba8 = (format: TexelFormat): Ktx2Format | undefined =>
  format === 'r8unorm'
    ? bytesFormat(1, 0, -1, -1, -1)
    : format === 'rg8unorm'
      ? bytesFormat(2, 0, 1, -1, -1)
      : undefined;

/**
 * The layout of an image's texels in its ArrayBuffer, packed into one word for records. In a format that the GPU can
 * draw into, an image has either all levels of its file or only the first level. The GPU then draws the other levels
 * from the first. An image in another format has exactly the levels of its file.
 *
 *   bit  0 sRGB │ 1–7 index of TEXEL_FORMATS │ 8–12 levels in the buffer, from large to small without gaps
 *                                                   0: only the first level; the GPU draws the rest
 */

/** Names of formats in WebGPU. The order fixes the numbers in records. */
export const TEXEL_FORMATS = [
  'rgba8unorm',
  'bc7-rgba-unorm',
  'etc2-rgb8unorm',
  'etc2-rgba8unorm',
  'astc-4x4-unorm',
  'r8unorm',
  'rg8unorm',
  'r16float',
  'rg16float',
  'rgba16float',
  'rg11b10ufloat',
  'rgb9e5ufloat',
  'bc1-rgba-unorm',
  'bc2-rgba-unorm',
  'bc3-rgba-unorm',
  'bc4-r-unorm',
  'bc5-rg-unorm',
  'bc6h-rgb-ufloat',
  'bc6h-rgb-float',
  'etc2-rgb8a1unorm',
  'eac-r11unorm',
  'eac-rg11unorm',
  'astc-5x4-unorm',
  'astc-5x5-unorm',
  'astc-6x5-unorm',
  'astc-6x6-unorm',
  'astc-8x5-unorm',
  'astc-8x6-unorm',
  'astc-8x8-unorm',
  'astc-10x5-unorm',
  'astc-10x6-unorm',
  'astc-10x8-unorm',
  'astc-10x10-unorm',
  'astc-12x10-unorm',
  'astc-12x12-unorm',
] as const;
export type TexelFormat = (typeof TEXEL_FORMATS)[number];

/** Returns the WebGPU feature that a format needs, or `null` when every device supports it. */
export function featureOf(format: TexelFormat): string | null {
  const family = /^(bc|etc2|eac|astc)/.exec(format)?.[0];
  return family ? `texture-compression-${family === 'eac' ? 'etc2' : family}` : null;
}

/**
 * Returns whether WebGPU has an sRGB variant of a format. Formats without such a variant hold linear data: numbers of
 * one or two channels, or floats.
 */
export const hasSrgb = (format: TexelFormat): boolean => /^(rgba8|bc[1237]|etc2|astc)/.test(format);

/** Returns whether the GPU can draw into a format, and so generate mip levels. */
export const isDrawable = (format: TexelFormat): boolean => /^r[gba]*(8unorm|16float)/.test(format);

/** Packs a layout without the sRGB bit, which depends on the texture's use. */
export const packTexels = (format: TexelFormat, levelCount: number): number =>
  (TEXEL_FORMATS.indexOf(format) << 1) | (levelCount << 8);

export interface Texels {
  readonly format: TexelFormat;
  readonly isSrgb: boolean;
  /** Levels in the buffer. 0: only the first; the GPU draws the rest. */
  readonly levelCount: number;
}

export const unpackTexels = (word: number): Texels => ({
  format: TEXEL_FORMATS[(word >> 1) & 127] ?? 'rgba8unorm',
  isSrgb: (word & 1) !== 0,
  levelCount: (word >> 8) & 31,
});

interface LevelSize {
  /** Size of the copied area in texels, in whole blocks. */
  readonly width: number;
  readonly height: number;
  readonly bytesPerRow: number;
  readonly rowsPerImage: number;
  readonly byteLength: number;
}

interface TexelBlock {
  /** Size in texels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** Bytes per texel of uncompressed formats; 4 for all others. */
const TEXEL_BYTES: Readonly<Partial<Record<TexelFormat, number>>> = {
  r8unorm: 1,
  rg8unorm: 2,
  r16float: 2,
  rgba16float: 8,
};

export function blockOf(format: TexelFormat): TexelBlock {
  const [, columns, rows] = /^astc-(\d+)x(\d+)/.exec(format) ?? [];
  if (columns) return { width: Number(columns), height: Number(rows), bytes: 16 };
  if (featureOf(format)) {
    const isHalf = /^(bc[14]|etc2-rgb8unorm|etc2-rgb8a1|eac-r11)/.test(format);
    return { width: 4, height: 4, bytes: isHalf ? 8 : 16 };
  }
  return { width: 1, height: 1, bytes: TEXEL_BYTES[format] ?? 4 };
}

/** Returns the size of a mip level. @param width width of the first level in texels @param height its height */
export function levelSizeOf(format: TexelFormat, width: number, height: number, level: number): LevelSize {
  const block = blockOf(format);
  const columns = Math.ceil(Math.max(1, width >> level) / block.width);
  const rows = Math.ceil(Math.max(1, height >> level) / block.height);
  const bytesPerRow = columns * block.bytes;
  return {
    width: columns * block.width,
    height: rows * block.height,
    bytesPerRow,
    rowsPerImage: rows,
    byteLength: bytesPerRow * rows,
  };
}

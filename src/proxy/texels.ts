/**
 * How the texels of an image lie in its ArrayBuffer, in one word, so that records can carry it. An image of RGBA8 has its first
 * level, of which the GPU draws the others, or it has all that its file has; blocks can't be drawn into, so the file's are all.
 *
 *   bit  0 sRGB │ 1–3 index of TEXEL_FORMATS │ 8–12 levels in the buffer, from large to small without gaps; 0: the first, the rest is drawn
 */

/** In blocks of 4 × 4 texels, but for the first. The order fixes the numbers in records. */
export const TEXEL_FORMATS = [
  'rgba8unorm',
  'bc7-rgba-unorm',
  'etc2-rgb8unorm',
  'etc2-rgba8unorm',
  'astc-4x4-unorm',
] as const;
export type TexelFormat = (typeof TEXEL_FORMATS)[number];

/** What a device needs to have for a format: a feature of WebGPU; null: every device reads it. */
export const featureOf = (format: TexelFormat): string | null =>
  format === 'rgba8unorm' ? null : `texture-compression-${/^(bc|etc2|astc)/.exec(format)?.[0]}`;

/** Without sRGB, which the use decides. */
export const packTexels = (format: TexelFormat, levelCount: number): number =>
  (TEXEL_FORMATS.indexOf(format) << 1) | (levelCount << 8);

export interface Texels {
  readonly format: TexelFormat;
  readonly isSrgb: boolean;
  /** In the buffer; 0: the first, the rest is drawn. */
  readonly levelCount: number;
}

export const unpackTexels = (word: number): Texels => ({
  format: TEXEL_FORMATS[(word >> 1) & 7] ?? 'rgba8unorm',
  isSrgb: (word & 1) !== 0,
  levelCount: (word >> 8) & 31,
});

export interface LevelSize {
  /** Of what is copied, in texels: whole blocks. */
  readonly width: number;
  readonly height: number;
  readonly bytesPerRow: number;
  readonly rowsPerImage: number;
  readonly byteLength: number;
}

/** @param width, height of the first level, in texels */
export function levelSizeOf(format: TexelFormat, width: number, height: number, level: number): LevelSize {
  const edge = format === 'rgba8unorm' ? 1 : 4;
  const blockBytes = format === 'etc2-rgb8unorm' ? 8 : edge * 4;
  const columns = Math.ceil(Math.max(1, width >> level) / edge);
  const rows = Math.ceil(Math.max(1, height >> level) / edge);
  const bytesPerRow = columns * blockBytes;
  return {
    width: columns * edge,
    height: rows * edge,
    bytesPerRow,
    rowsPerImage: rows,
    byteLength: bytesPerRow * rows,
  };
}

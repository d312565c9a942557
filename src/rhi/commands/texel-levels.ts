/**
 * How the texels of a texture lie in bytes: rows of blocks without padding, layer by layer. A block is one texel, except in
 * compressed formats. Formats with depth or stencil have none, because their aspects are copied by rules of their own.
 *
 *   bc1-rgba-unorm, 10 × 6 texels, mip 0      ►   3 × 2 blocks of 8 bytes   ►   24 bytes a row
 */
import type { TextureDescriptor } from './descriptors.js';

export interface TexelBlock {
  readonly bytes: number;
  /** In texels. */
  readonly width: number;
  readonly height: number;
}

const FOUR_BY_FOUR_IN_8_BYTES = /^(bc[14]-|etc2-rgb8unorm|etc2-rgb8a1|eac-r11)/;
const FOUR_BY_FOUR_IN_16_BYTES = /^(bc|etc2|eac)/;

/** Undefined for depth, stencil and unknown formats. */
export function texelBlock(format: string): TexelBlock | undefined {
  const plain = /^(r|rg|rgba|bgra)(8|16|32)(unorm|snorm|uint|sint|float)/.exec(format);
  if (plain) return { bytes: ((plain[1]?.length ?? 0) * Number(plain[2])) / 8, width: 1, height: 1 };
  if (/^(rgb9e5|rgb10a2|rg11b10)u/.test(format)) return { bytes: 4, width: 1, height: 1 };
  if (FOUR_BY_FOUR_IN_8_BYTES.test(format)) return { bytes: 8, width: 4, height: 4 };
  if (FOUR_BY_FOUR_IN_16_BYTES.test(format)) return { bytes: 16, width: 4, height: 4 };
  const astc = /^astc-(\d+)x(\d+)/.exec(format);
  return astc ? { bytes: 16, width: Number(astc[1]), height: Number(astc[2]) } : undefined;
}

/** In texels, and layers or slices. */
interface TexelBox {
  readonly width: number;
  readonly height: number;
  /** Default 1. */
  readonly depthOrArrayLayers?: number;
}

/** What is copied of a level, or of a box. */
export type LevelLayout = ReturnType<typeof layoutOf>;

/** As it is described, or as the device made it. */
type TextureSize = Omit<TextureDescriptor, 'label' | 'usage'>;

/**
 * @param block of formats that `texelBlock` leaves out
 * @returns null: multisampled, depth or stencil, an unknown format, no such level, or no sizes
 */
export function levelLayout(
  texture: TextureSize,
  mipLevel: number,
  block = blockOf(texture.format),
): LevelLayout | null {
  const { width, height, depthOrArrayLayers = 1, mipLevelCount = 1, sampleCount = 1 } = texture;
  // From a forged file they may be anything.
  const areNumbers = [width, height, depthOrArrayLayers, mipLevelCount].every(Number.isFinite);
  if (!areNumbers || sampleCount !== 1 || !(mipLevel < mipLevelCount) || block === undefined) return null;
  return layoutOf(block, levelBox(texture, mipLevel));
}

/** Null for formats whose texels can't be copied. */
export function boxLayout(format: string, box: TexelBox): LevelLayout | null {
  const block = blockOf(format);
  return block === undefined ? null : layoutOf(block, box);
}

/** @param format anything, from a forged file */
const blockOf = (format: string): TexelBlock | undefined =>
  typeof format === 'string' ? texelBlock(format) : undefined;

/** In blocks of any kind. */
export function layoutOf(block: TexelBlock, { width, height, depthOrArrayLayers = 1 }: TexelBox) {
  const columns = Math.ceil(width / block.width);
  const rows = Math.ceil(height / block.height);
  const bytesPerRow = columns * block.bytes;
  return {
    // In texels: whole blocks, so it may exceed the level's own size.
    width: columns * block.width,
    height: rows * block.height,
    depthOrArrayLayers,
    bytesPerRow,
    rowsPerImage: rows,
    byteLength: bytesPerRow * rows * depthOrArrayLayers,
  };
}

/** A mip level, with all its layers. */
export function levelBox(texture: TextureSize, mipLevel: number): Required<TexelBox> {
  const { width, height, depthOrArrayLayers: depth = 1, dimension } = texture;
  const depthOrArrayLayers = dimension === '3d' ? levelSize(depth, mipLevel) : depth;
  return { width: levelSize(width, mipLevel), height: levelSize(height, mipLevel), depthOrArrayLayers };
}

export function levelSize(size: number, mipLevel: number): number {
  return Math.max(1, Math.floor(size / 2 ** mipLevel));
}

/** Bytes of a texel with depth or stencil, as most GPUs store them: WebGPU doesn't say. */
const DEPTH_BYTES: Readonly<Record<string, number>> = {
  stencil8: 1,
  depth16unorm: 2,
  depth24plus: 4,
  depth32float: 4,
  'depth24plus-stencil8': 4,
  'depth32float-stencil8': 8,
};

export function isDepthFormat(format: GPUTextureFormat): boolean {
  return format in DEPTH_BYTES;
}

/** More than a texture of any size has. A forged record may ask for billions. */
const MAXIMUM_LEVELS = 32;

/** Bytes of a texture with all its levels, layers and samples, without what a GPU adds for alignment. */
export function textureByteLength(texture: Omit<TextureSize, 'viewFormats'>): number {
  const { format, mipLevelCount = 1, sampleCount = 1 } = texture;
  const block = texelBlock(format) ?? { bytes: DEPTH_BYTES[format] ?? 0, width: 1, height: 1 };
  let bytes = 0;
  for (let level = 0; level < Math.min(mipLevelCount, MAXIMUM_LEVELS); level++)
    bytes += layoutOf(block, levelBox(texture, level)).byteLength;
  return bytes * sampleCount;
}

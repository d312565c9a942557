/**
 * Layout of a texture's texels in bytes: rows of blocks without padding, layer by layer. A block is one texel, except
 * in compressed formats. Depth and stencil formats have no block here, because special rules apply to copies of their
 * aspects.
 *
 *   bc1-rgba-unorm, 10 × 6 texels, mip 0      ►   3 × 2 blocks of 8 bytes   ►   24 bytes a row
 */
import type { TextureDescriptor } from './descriptors.js';

export interface TexelBlock {
  readonly bytes: number;
  /** Width and height in texels. */
  readonly width: number;
  readonly height: number;
}

const FOUR_BY_FOUR_IN_8_BYTES = /^(bc[14]-|etc2-rgb8unorm|etc2-rgb8a1|eac-r11)/;
const FOUR_BY_FOUR_IN_16_BYTES = /^(bc|etc2|eac)/;

/** Returns the block of a format; undefined for depth, stencil and unknown formats. */
export function texelBlock(format: string): TexelBlock | undefined {
  const plain = /^(r|rg|rgba|bgra)(8|16|32)(unorm|snorm|uint|sint|float)/.exec(format);
  if (plain) return { bytes: ((plain[1]?.length ?? 0) * Number(plain[2])) / 8, width: 1, height: 1 };
  if (/^(rgb9e5|rgb10a2|rg11b10)u/.test(format)) return { bytes: 4, width: 1, height: 1 };
  if (FOUR_BY_FOUR_IN_8_BYTES.test(format)) return { bytes: 8, width: 4, height: 4 };
  if (FOUR_BY_FOUR_IN_16_BYTES.test(format)) return { bytes: 16, width: 4, height: 4 };
  const astc = /^astc-(\d+)x(\d+)/.exec(format);
  return astc ? { bytes: 16, width: Number(astc[1]), height: Number(astc[2]) } : undefined;
}

/** The size of a box: texels, and layers or slices. */
interface TexelBox {
  readonly width: number;
  readonly height: number;
  /** Number of slices or layers. Default 1. */
  readonly depthOrArrayLayers?: number;
}

/** Layout of a mip level, or of a box of texels, in a copy. */
export type LevelLayout = ReturnType<typeof layoutOf>;

/** A texture's size, from its descriptor or from the device's texture. */
type TextureSize = Omit<TextureDescriptor, 'label' | 'usage'>;

/**
 * Returns the layout of a mip level with all its layers.
 * @param block block of the format; required for formats that `texelBlock` leaves out
 * @returns null for a multisampled texture, a depth, stencil or unknown format, a missing level, or invalid sizes
 */
export function levelLayout(
  texture: TextureSize,
  mipLevel: number,
  block = blockOf(texture.format),
): LevelLayout | null {
  const { width, height, depthOrArrayLayers = 1, mipLevelCount = 1, sampleCount = 1 } = texture;
  // A forged file can hold any values here.
  const areNumbers = [width, height, depthOrArrayLayers, mipLevelCount].every(Number.isFinite);
  if (!areNumbers || sampleCount !== 1 || !(mipLevel < mipLevelCount) || block === undefined) return null;
  return layoutOf(block, levelBox(texture, mipLevel));
}

/** Returns the layout of a box of texels; null for depth, stencil and unknown formats. */
export function boxLayout(format: string, box: TexelBox): LevelLayout | null {
  const block = blockOf(format);
  return block === undefined ? null : layoutOf(block, box);
}

/** Returns the block of a format, which may be any value if it comes from a forged file. */
const blockOf = (format: string): TexelBlock | undefined =>
  typeof format === 'string' ? texelBlock(format) : undefined;

/** Returns the layout of a box of texels that consists of these blocks. */
export function layoutOf(block: TexelBlock, { width, height, depthOrArrayLayers = 1 }: TexelBox) {
  const columns = Math.ceil(width / block.width);
  const rows = Math.ceil(height / block.height);
  const bytesPerRow = columns * block.bytes;
  return {
    // Rounded up to whole blocks, so the width and height may exceed those of the box.
    width: columns * block.width,
    height: rows * block.height,
    depthOrArrayLayers,
    bytesPerRow,
    rowsPerImage: rows,
    byteLength: bytesPerRow * rows * depthOrArrayLayers,
  };
}

/** Returns the box of a mip level with all its layers. */
export function levelBox(texture: TextureSize, mipLevel: number): Required<TexelBox> {
  const { width, height, depthOrArrayLayers: depth = 1, dimension } = texture;
  const depthOrArrayLayers = dimension === '3d' ? levelSize(depth, mipLevel) : depth;
  return { width: levelSize(width, mipLevel), height: levelSize(height, mipLevel), depthOrArrayLayers };
}

export function levelSize(size: number, mipLevel: number): number {
  return Math.max(1, Math.floor(size / 2 ** mipLevel));
}

/** Bytes per texel of depth and stencil formats on most GPUs. WebGPU leaves some of them open. */
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

/** Upper bound of the mip levels of any texture. A forged record may ask for billions. */
const MAXIMUM_LEVELS = 32;

/** Returns the bytes of a texture with all its levels, layers and samples, without a GPU's padding. */
export function textureByteLength(texture: Omit<TextureSize, 'viewFormats'>): number {
  const { format, mipLevelCount = 1, sampleCount = 1 } = texture;
  const block = texelBlock(format) ?? { bytes: DEPTH_BYTES[format] ?? 0, width: 1, height: 1 };
  let bytes = 0;
  for (let level = 0; level < Math.min(mipLevelCount, MAXIMUM_LEVELS); level++)
    bytes += layoutOf(block, levelBox(texture, level)).byteLength;
  return bytes * sampleCount;
}

/**
 * How one mip level of a texture lies in bytes: rows of blocks without padding, layer by layer. Levels whose texels
 * can't be copied have no answer: captures leave them out.
 *
 *   bc1-rgba-unorm, 10 × 6 texels, mip 0      ►   3 × 2 blocks of 8 bytes   ►   24 bytes a row
 */
import type { TextureDescriptor } from './descriptors.js';
import { texelBlock } from './texel-blocks.js';

export interface LevelLayout {
  /** What is copied, in texels: whole blocks, so it may exceed the level's own size. */
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers: number;
  readonly bytesPerRow: number;
  readonly rowsPerImage: number;
  readonly byteLength: number;
}

/** As it is described, or as the device made it. */
type TextureSize = Omit<TextureDescriptor, 'label' | 'usage'>;

/** Null: multisampled, depth or stencil, an unknown format, no such level, or no sizes. */
export function levelLayout(texture: TextureSize, mipLevel: number): LevelLayout | null {
  const { width, height, depthOrArrayLayers = 1, mipLevelCount = 1, sampleCount = 1, dimension } = texture;
  // From a forged file they may be anything.
  const areNumbers = [width, height, depthOrArrayLayers, mipLevelCount].every(
    (size) => typeof size === 'number',
  );
  if (!areNumbers || sampleCount !== 1 || !(mipLevel < mipLevelCount)) return null;
  const layers = dimension === '3d' ? levelSize(depthOrArrayLayers, mipLevel) : depthOrArrayLayers;
  return boxLayout(texture.format, levelSize(width, mipLevel), levelSize(height, mipLevel), layers);
}

/** Null for formats whose texels can't be copied. @param width texels, as are the others */
export function boxLayout(
  format: string,
  width: number,
  height: number,
  depthOrArrayLayers: number,
): LevelLayout | null {
  const block = typeof format === 'string' ? texelBlock(format) : undefined;
  if (block === undefined) return null;
  const columns = Math.ceil(width / block.width);
  const rows = Math.ceil(height / block.height);
  const bytesPerRow = columns * block.bytes;
  return {
    width: columns * block.width,
    height: rows * block.height,
    depthOrArrayLayers,
    bytesPerRow,
    rowsPerImage: rows,
    byteLength: bytesPerRow * rows * depthOrArrayLayers,
  };
}

export function levelSize(size: number, mipLevel: number): number {
  return Math.max(1, Math.floor(size / 2 ** mipLevel));
}

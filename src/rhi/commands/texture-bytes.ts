import type { TextureDescriptor } from './descriptors.js';
import { texelBlock } from './texel-blocks.js';
import { levelSize } from './texel-levels.js';

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

/** Bytes of a texture with all its levels, layers and samples, without what a GPU adds for alignment. */
export function textureByteLength(
  texture: Omit<TextureDescriptor, 'label' | 'usage' | 'viewFormats'>,
): number {
  const { width, height, depthOrArrayLayers = 1, format, dimension } = texture;
  const { mipLevelCount = 1, sampleCount = 1 } = texture;
  const block = texelBlock(format) ?? { bytes: DEPTH_BYTES[format] ?? 0, width: 1, height: 1 };
  let bytes = 0;
  for (let level = 0; level < mipLevelCount; level++) {
    const columns = Math.ceil(levelSize(width, level) / block.width);
    const rows = Math.ceil(levelSize(height, level) / block.height);
    const layers = dimension === '3d' ? levelSize(depthOrArrayLayers, level) : depthOrArrayLayers;
    bytes += columns * rows * layers * block.bytes;
  }
  return bytes * sampleCount;
}

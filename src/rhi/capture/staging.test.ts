import { describe, expect, it } from 'vitest';
import type { TextureDescriptor } from '../commands/descriptors.js';
import { boxLayout, levelLayout } from '../commands/texel-levels.js';
import { planStaging, textureCopy } from './staging.js';

describe('staging', () => {
  it('puts copies side by side, at multiples of 256 bytes, until a buffer is full', () => {
    expect(planStaging([100, 256, 300, 1], 1025)).toEqual({
      buffers: [1024 + 256],
      places: [0, 256, 512, 1024].map((byteOffset) => ({ buffer: 0, byteOffset })),
    });
    expect(planStaging([100, 256, 300, 300], 1024)).toEqual({
      buffers: [1024, 512],
      places: [
        { buffer: 0, byteOffset: 0 },
        { buffer: 0, byteOffset: 256 },
        { buffer: 0, byteOffset: 512 },
        { buffer: 1, byteOffset: 0 },
      ],
    });
  });

  it('puts a copy that is larger than a buffer into a buffer of its own', () => {
    expect(planStaging([5000, 4], 1024)).toEqual({
      buffers: [5120, 256],
      places: [
        { buffer: 0, byteOffset: 0 },
        { buffer: 1, byteOffset: 0 },
      ],
    });
    expect(planStaging([], 1024)).toEqual({ buffers: [], places: [] });
  });

  it('removes the padding of rows', () => {
    const layout = boxLayout('rgba8unorm', { width: 2, height: 2, depthOrArrayLayers: 2 })!;
    const copy = textureCopy({ texture: {} as GPUTexture }, layout);
    expect(copy.byteLength).toBe(1024);
    const staged = new Uint8Array(1024);
    [0, 256, 512, 768].forEach((at, row) => {
      staged.fill(row + 1, at, at + 8);
    });
    expect([...copy.unpack(staged)]).toEqual([1, 2, 3, 4].flatMap((row) => Array(8).fill(row)));
  });
});

describe('a level of a texture in bytes', () => {
  const texture = (options: Partial<TextureDescriptor>): TextureDescriptor => ({
    label: 't',
    width: 10,
    height: 6,
    mipLevelCount: 3,
    format: 'rgba8unorm',
    usage: 0,
    ...options,
  });
  const sizes = (options: Partial<TextureDescriptor>, mipLevel: number) => {
    const level = levelLayout(texture(options), mipLevel);
    return (
      level && [level.width, level.height, level.depthOrArrayLayers, level.bytesPerRow, level.byteLength]
    );
  };

  it('has whole blocks, all layers of an array, and half as many 3D slices as the level before', () => {
    expect(sizes({}, 0)).toEqual([10, 6, 1, 40, 240]);
    expect(sizes({}, 2)).toEqual([2, 1, 1, 8, 8]);
    expect(sizes({ depthOrArrayLayers: 5 }, 1)).toEqual([5, 3, 5, 20, 300]);
    expect(sizes({ depthOrArrayLayers: 5, dimension: '3d' }, 1)).toEqual([5, 3, 2, 20, 120]);
    expect(sizes({ format: 'bc1-rgba-unorm' }, 0)).toEqual([12, 8, 1, 24, 48]);
    expect(sizes({ format: 'astc-8x6-unorm-srgb' }, 1)).toEqual([8, 6, 1, 16, 16]);
  });

  it('is null for a missing level, multisampled textures, depth and unknown formats', () => {
    expect(sizes({}, 3)).toBeNull();
    expect(sizes({ sampleCount: 4 }, 0)).toBeNull();
    expect(sizes({ format: 'depth24plus' }, 0)).toBeNull();
    expect(sizes({ format: 'no format' as GPUTextureFormat }, 0)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { type TextureDescriptor, TextureUsage } from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { planTextureRead, type TextureReadRegion } from './texture-read.js';

const texture: TextureDescriptor = {
  label: 'sky',
  width: 8,
  height: 4,
  mipLevelCount: 3,
  format: 'rgba8unorm',
  usage: TextureUsage.copySource | TextureUsage.renderAttachment,
};

describe('planTextureRead', () => {
  it('reads by default from the origin to the end of the mip level', () => {
    expect(planTextureRead(texture, {}).region).toMatchObject({ width: 8, height: 4, depthOrArrayLayers: 1 });
    const corner = planTextureRead(texture, { mipLevel: 1, origin: [1, 1, 0] });
    expect(corner.region).toMatchObject({
      width: 3,
      height: 1,
      mipLevel: 1,
      bytesPerRow: 256,
      rowsPerImage: 1,
    });
    const volume = { ...texture, dimension: '3d' as const, depthOrArrayLayers: 8 };
    expect(planTextureRead(volume, { mipLevel: 2 }).region).toMatchObject({
      width: 2,
      depthOrArrayLayers: 2,
    });
    const array = { ...texture, depthOrArrayLayers: 5 };
    expect(planTextureRead(array, { mipLevel: 2, origin: [0, 0, 3] }).region.depthOrArrayLayers).toBe(2);
  });

  it('removes the gaps between rows', () => {
    const { byteLength, tight } = planTextureRead(texture, { width: 1, height: 2 });
    expect(byteLength).toBe(512);
    const copied = new Uint8Array(byteLength);
    copied.set([1, 2, 3, 4], 0);
    copied.set([5, 6, 7, 8], 256);
    expect([...tight(copied.buffer)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('counts blocks and bytes by format and aspect', () => {
    const lengthOf = (format: GPUTextureFormat, aspect?: GPUTextureAspect) => {
      const { byteLength, tight } = planTextureRead({ ...texture, format }, { aspect });
      return tight(new ArrayBuffer(byteLength)).length;
    };
    expect(lengthOf('r8unorm')).toBe(32);
    expect(lengthOf('rgba32float')).toBe(512);
    expect(lengthOf('bc1-rgba-unorm')).toBe(16);
    expect(lengthOf('depth32float')).toBe(128);
    expect(lengthOf('depth24plus-stencil8', 'stencil-only')).toBe(32);
    for (const format of ['depth24plus', 'depth24plus-stencil8'] as const) {
      expect(() => lengthOf(format)).toThrow(expect.objectContaining({ code: 'texture-format' }));
    }
  });

  it('refuses boxes outside the texture, and refuses unreadable textures in errors that name them', () => {
    const regions = [{ width: 9 }, { origin: [4, 0, 0] as const, width: 5 }, { height: 0 }, { mipLevel: 3 }];
    for (const region of [...regions, { origin: [0, 0, 1] as const }, { width: Number.NaN }]) {
      expect(() => planTextureRead(texture, region)).toThrow(
        expect.objectContaining({ code: 'out-of-range' }),
      );
    }
    expect(() => planTextureRead({ ...texture, usage: 0 }, {})).toThrow(
      expect.objectContaining({ code: 'usage-missing', message: expect.stringMatching(/"sky".*copySource/) }),
    );
    expect(() => planTextureRead({ ...texture, sampleCount: 4 }, {})).toThrow(/"sky".*4 samples/);
  });
});

describe('a texture read accepts', () => {
  const regionOf = (format: GPUTextureFormat, wanted: TextureReadRegion) =>
    planTextureRead({ ...texture, format }, wanted).region;

  it('only whole blocks of a compressed texture, which may reach beyond a small level', () => {
    expect(regionOf('bc1-rgba-unorm', { mipLevel: 1 })).toMatchObject({ width: 4, height: 4 });
    expect(regionOf('bc1-rgba-unorm', { mipLevel: 2 })).toMatchObject({ width: 4, height: 4 });
    expect(regionOf('bc1-rgba-unorm', { origin: [4, 0, 0] })).toMatchObject({ width: 4, height: 4 });
    expect(planTextureRead({ ...texture, format: 'bc1-rgba-unorm' }, { mipLevel: 2 }).byteLength).toBe(256);
    for (const wanted of [{ width: 1 }, { origin: [2, 0, 0] as const }, { height: 3 }]) {
      expect(() => regionOf('bc1-rgba-unorm', wanted)).toThrow(/"sky" of format bc1.*multiples of 4 × 4/);
    }
  });

  it('only whole layers of depth and stencil', () => {
    expect(regionOf('depth32float', { mipLevel: 1 })).toMatchObject({ width: 4, height: 2 });
    for (const wanted of [{ width: 1 }, { origin: [0, 1, 0] as const }]) {
      expect(() => regionOf('depth32float', wanted)).toThrow(
        expect.objectContaining({
          code: 'out-of-range',
          message: expect.stringContaining('multiples of 8 × 4'),
        }),
      );
    }
  });

  it('single layers of a depth array', () => {
    const array = { ...texture, format: 'depth32float' as const, depthOrArrayLayers: 3 };
    const { region } = planTextureRead(array, { origin: [0, 0, 1], depthOrArrayLayers: 1 });
    expect(region).toMatchObject({ origin: [0, 0, 1], width: 8, height: 4, depthOrArrayLayers: 1 });
  });

  it('no depth or stencil aspect for a color format', () => {
    expect(() => regionOf('rgba8unorm', { aspect: 'depth-only' })).toThrow(
      expect.objectContaining({ code: 'texture-format', message: expect.stringContaining('depth-only') }),
    );
    expect(regionOf('rgba8unorm', { aspect: 'all' })).toMatchObject({ width: 8 });
  });

  it('a level smaller than a block, also on the null backend', async () => {
    const errors: unknown[] = [];
    const rhi = createRhi({ device: null, onError: (error) => errors.push(error) });
    const usage = TextureUsage.copySource;
    const sky = rhi.context.createTexture({ ...texture, format: 'bc1-rgba-unorm', usage });
    expect((await rhi.readTexture(sky, { mipLevel: 2 })).length).toBe(8);
    expect(errors).toEqual([]);
  });
});

describe('rhi.readTexture', () => {
  it('returns rows without gaps, and leaves no resource behind', async () => {
    const rhi = createRhi({ device: null });
    const sky = rhi.context.createTexture(texture);
    rhi.context.beginFrame(0);
    const texels = rhi.readTexture(sky, { width: 3, height: 2 });
    rhi.context.endFrame();
    expect((await texels).length).toBe(24);
    expect(rhi.dispose().leaks.map(({ label }) => label)).toEqual(['sky']);
  });

  it('destroys its buffer if the copy throws', () => {
    const rhi = createRhi({ device: null });
    const sky = rhi.context.createTexture(texture);
    Object.defineProperty(rhi.context, 'copyTextureToBuffer', {
      value: () => {
        throw new Error('no copy');
      },
    });
    expect(() => rhi.readTexture(sky)).toThrow('no copy');
    expect(rhi.dispose().leaks.map(({ label }) => label)).toEqual(['sky']);
  });

  it('reads between frames too', async () => {
    const rhi = createRhi({ device: null });
    expect((await rhi.readTexture(rhi.context.createTexture(texture))).length).toBe(128);
  });

  it('reads a viewport’s target while the viewport is open', async () => {
    const { device } = createFakeDevice();
    const { context, readTexture } = createRhi({ device, surfaceFormat: 'rgba8unorm' });
    const target = context.createViewportTarget('canvas');
    context.beginFrame(0);
    expect(() => readTexture(target)).toThrow(expect.objectContaining({ code: 'viewport-not-begun' }));
    context.beginDrawingViewport(target, 4, 4);
    expect(() => readTexture(target, { width: 5 })).toThrow(/"canvas" has 4 × 4 × 1 texels/);
    readTexture(target);
    context.endDrawingViewport(target);
    expect(() => readTexture(target)).toThrow(/"canvas" has no texture now/);
  });
});

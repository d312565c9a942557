import { describe, expect, it } from 'vitest';
import { type TextureDescriptor, TextureUsage } from '../commands/descriptors.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { capturedLayout, writeContents } from './texture-contents.js';

const READ_AND_DRAWN = TextureUsage.textureBinding | TextureUsage.renderAttachment;

const depth = (options: Partial<TextureDescriptor>): TextureDescriptor => ({
  label: 't',
  width: 10,
  height: 6,
  format: 'depth32float',
  usage: READ_AND_DRAWN,
  ...options,
});

describe('depth in a capture', () => {
  it('is captured if shaders read it and passes draw it', () => {
    expect(capturedLayout(depth({}), 0)).toMatchObject({ bytesPerRow: 40, byteLength: 240 });
    expect(capturedLayout(depth({ format: 'depth16unorm', depthOrArrayLayers: 2 }), 0)?.byteLength).toBe(240);
    expect(capturedLayout(depth({ mipLevelCount: 2 }), 1)?.byteLength).toBe(60);
  });

  it('is not captured if no shader reads it, if it cannot be copied, or if the mip level is missing', () => {
    expect(capturedLayout(depth({}), 1)).toBeNull();
    expect(capturedLayout(depth({ sampleCount: 4 }), 0)).toBeNull();
    expect(capturedLayout(depth({ usage: TextureUsage.renderAttachment }), 0)).toBeNull();
    for (const format of ['depth24plus', 'depth32float-stencil8', 'stencil8'] as const)
      expect(capturedLayout(depth({ format }), 0)).toBeNull();
  });

  it('is drawn layer by layer if WebGPU cannot copy it into the texture', () => {
    const { device, take } = createFakeDevice();
    const make = (format: GPUTextureFormat) =>
      device.createTexture({ label: format, size: [4, 4, 2], format, usage: READ_AND_DRAWN });
    const [near, far] = [make('depth32float'), make('depth16unorm')];
    take();
    writeContents(device, near, 0, new Uint8Array(128));
    const passes = take().filter((line) => /^(writeTexture|beginRenderPass|draw|submit)/.test(line));
    const layer = ['writeTexture', 'beginRenderPass depth of a capture', 'draw 3', 'submit 1'];
    expect(passes).toEqual([...layer, ...layer]);
    writeContents(device, far, 0, new Uint8Array(64));
    expect(take()).toEqual(['writeTexture']);
  });
});

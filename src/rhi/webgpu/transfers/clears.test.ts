import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../../core/records/record-fields.js';
import { writeRecord } from '../../../core/records/record-fields.test-support.js';
import { RhiOpcode } from '../../commands/commands.js';
import { type TextureClear, type TextureDescriptor, TextureUsage } from '../../commands/descriptors.js';
import { texelBlock } from '../../commands/texel-levels.js';
import { createRhi } from '../../host/create-rhi.js';
import { createFakeDevice } from '../fake-device.test-support.js';

const { renderAttachment, copyTarget, textureBinding } = TextureUsage;

/** Clears a texture with these properties. Returns the device's calls, except `createTexture`, and the errors. */
function clear(texture: Partial<TextureDescriptor>, how: TextureClear = {}) {
  const fake = createFakeDevice();
  const errors: { code: string; message: string }[] = [];
  const { context, executor } = createRhi({
    device: fake.device,
    onError: (error) => errors.push(error as { code: string; message: string }),
  });
  const handle = context.createTexture({
    label: 'picture',
    width: 8,
    height: 8,
    format: 'rgba8unorm',
    usage: renderAttachment,
    ...texture,
  });
  // `writeRecord` bypasses the checks of the call, which would refuse invalid values.
  writeRecord(context.writer, RhiOpcode.clearTexture, [handle], [encodeJson(how)]);
  context.publish();
  executor.pump();
  return { calls: fake.take().filter((line) => !line.startsWith('createTexture')), errors };
}

const pass = ['beginRenderPass clear of "picture"', 'end'];

describe('C clearTexture', () => {
  it('takes one pass for each requested mip level and layer', () => {
    const whole = { mipLevelCount: 3, depthOrArrayLayers: 2 };
    expect(clear(whole).calls).toEqual([...Array(6).fill(pass).flat(), 'submit 1']);
    const part = { baseMipLevel: 1, baseArrayLayer: 1, arrayLayerCount: 1 };
    expect(clear(whole, part).calls).toEqual([...pass, ...pass, 'submit 1']);
  });

  it('takes one pass for each slice of a 3D texture; smaller mip levels have fewer slices', () => {
    const { calls } = clear({ dimension: '3d', depthOrArrayLayers: 4, mipLevelCount: 3 });
    expect(calls.filter((call) => call === 'end').length).toBe(4 + 2 + 1);
  });

  it('copies zeros to textures that can’t be drawn to: whole blocks, in rows of 256 bytes', () => {
    const { calls, errors } = clear({ format: 'bc7-rgba-unorm', usage: copyTarget, mipLevelCount: 4 });
    expect(errors).toEqual([]);
    expect(calls[0]).toBe('createBuffer zeros');
    expect(calls.length).toBe(1 + 4 + 1);
    const sizes = calls.slice(1, 5).map((call) => call.slice(call.lastIndexOf('[')));
    expect(sizes).toEqual(['[8,8,1]', '[4,4,1]', '[4,4,1]', '[4,4,1]']);
  });

  it('splits copies that are larger than the buffer of zeros', () => {
    const big = { format: 'rgba32float', usage: copyTarget, width: 4096, height: 40 } as const;
    const { calls } = clear(big);
    // A row has 64 KiB, and the buffer of zeros 1 MiB, so a copy has 16 rows.
    const sizes = calls.slice(1, 4).map((call) => call.slice(call.lastIndexOf('[')));
    expect(sizes).toEqual(['[4096,16,1]', '[4096,16,1]', '[4096,8,1]']);
  });

  it.each<[string, string, Partial<TextureDescriptor>, TextureClear]>([
    ['clear-unsupported', 'a texture without a suitable usage', { usage: textureBinding }, {}],
    [
      'clear-unsupported',
      'a value other than zero without the usage renderAttachment',
      { usage: copyTarget },
      { color: [0, 0, 0, 1] },
    ],
    [
      'clear-unsupported',
      'depth without the usage renderAttachment',
      { usage: copyTarget, format: 'depth32float' },
      {},
    ],
    ['clear-unsupported', 'an aspect that the format lacks', {}, { aspect: 'stencil-only' }],
    ['out-of-range', 'a mip level that the texture lacks', {}, { baseMipLevel: 1 }],
    ['out-of-range', 'no layers', {}, { arrayLayerCount: 0 }],
    ['out-of-range', 'layers that are not numbers', {}, { arrayLayerCount: '2' as unknown as number }],
    ['bad-record', 'a color with NaN', {}, { color: [Number.NaN, 0, 0, 0] }],
    [
      'bad-record',
      'a color of three numbers',
      {},
      { color: [0, 0, 0] as unknown as [number, number, number, number] },
    ],
    ['bad-record', 'a depth above 1', {}, { depth: 1.5 }],
    ['bad-record', 'a stencil above 255', {}, { stencil: 256 }],
  ])('reports %s for %s', (code, _, texture, how) => {
    const { calls, errors } = clear(texture, how);
    expect(calls).toEqual([]);
    expect(errors.map((error) => error.code)).toEqual([code]);
    expect(errors[0]?.message).toContain('"picture"');
    if (code === 'clear-unsupported') expect(errors[0]?.message).toContain(texture.format ?? 'rgba8unorm');
  });
});

describe('texelBlock', () => {
  it.each([
    ['r8unorm', 1, 1, 1],
    ['rg8snorm', 2, 1, 1],
    ['bgra8unorm-srgb', 4, 1, 1],
    ['r16float', 2, 1, 1],
    ['rgba16uint', 8, 1, 1],
    ['rg32sint', 8, 1, 1],
    ['rgba32float', 16, 1, 1],
    ['rgb10a2unorm', 4, 1, 1],
    ['rg11b10ufloat', 4, 1, 1],
    ['rgb9e5ufloat', 4, 1, 1],
    ['bc1-rgba-unorm-srgb', 8, 4, 4],
    ['bc3-rgba-unorm', 16, 4, 4],
    ['bc4-r-snorm', 8, 4, 4],
    ['bc5-rg-unorm', 16, 4, 4],
    ['bc6h-rgb-ufloat', 16, 4, 4],
    ['etc2-rgb8unorm', 8, 4, 4],
    ['etc2-rgb8a1unorm-srgb', 8, 4, 4],
    ['etc2-rgba8unorm', 16, 4, 4],
    ['eac-r11snorm', 8, 4, 4],
    ['eac-rg11unorm', 16, 4, 4],
    ['astc-12x10-unorm', 16, 12, 10],
  ])('%s: %i bytes, %i × %i texels', (format, bytes, width, height) => {
    expect(texelBlock(format)).toEqual({ bytes, width, height });
  });

  it('is undefined for depth, stencil and unknown formats', () => {
    for (const format of ['depth24plus', 'depth32float-stencil8', 'stencil8', 'rgb8unorm', '']) {
      expect(texelBlock(format)).toBeUndefined();
    }
  });
});

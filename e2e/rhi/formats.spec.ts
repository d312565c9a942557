// What validation knows of texture formats is what a real implementation says: each entry of its table is tried on
// Dawn, in Node. Where Dawn is missing, it is skipped, visibly.

import {
  attachmentBytes,
  type FormatInfo,
  formatInfo,
  hasAlpha,
  storageFault,
} from '../../src/rhi/validation/formats.js';
import { openDevice, TextureUsage } from '../../src/rhi.js';
import { expect, test } from '../fixtures.js';
import { openDawn } from './dawn.js';

const FORMATS =
  `r8unorm r8snorm r8uint r8sint r16uint r16sint r16float rg8unorm rg8snorm rg8uint rg8sint r32uint
  r32sint r32float rg16uint rg16sint rg16float rgba8unorm rgba8unorm-srgb rgba8snorm rgba8uint rgba8sint bgra8unorm
  bgra8unorm-srgb rgb9e5ufloat rgb10a2uint rgb10a2unorm rg11b10ufloat rg32uint rg32sint rg32float rgba16uint
  rgba16sint rgba16float rgba32uint rgba32sint rgba32float stencil8 depth16unorm depth24plus depth24plus-stencil8
  depth32float depth32float-stencil8`.split(/\s+/) as GPUTextureFormat[];

const SHADER = `
@vertex fn vertex() -> @builtin(position) vec4f { return vec4f(0); }
@fragment fn floats() -> @location(0) vec4f { return vec4f(0); }
@fragment fn unsigned() -> @location(0) vec4u { return vec4u(0); }
@fragment fn signed() -> @location(0) vec4i { return vec4i(0); }`;

test('H8: validation’s table of formats is what Dawn says, with the least and with all features', async () => {
  const dawn = await openDawn();
  test.skip(typeof dawn === 'string', String(dawn));
  if (typeof dawn === 'string') return;
  const adapter = await dawn.gpu.requestAdapter();
  const bare = await adapter?.requestDevice();
  const { device: whole } = await openDevice(dawn.gpu);
  const differences: string[] = [];
  let count = 0;
  for (const device of [bare, whole]) {
    if (!device) throw new Error('There is no device.');
    const has = (name: string): boolean => device.features.has(name);
    const module = device.createShaderModule({ code: SHADER });
    const isTaken = async (create: () => unknown): Promise<boolean> => {
      device.pushErrorScope('validation');
      create();
      return (await device.popErrorScope()) === null;
    };
    const compare = async (what: string, expected: boolean, create: () => unknown): Promise<void> => {
      count++;
      if ((await isTaken(create)) !== expected) differences.push(`${what} is ${!expected}`);
    };
    for (const format of FORMATS) {
      const info = formatInfo(format) as FormatInfo;
      if (info.feature !== null && !has(info.feature)) continue;
      const canRender = info.isRenderable && (info.renderFeature === null || has(info.renderFeature));
      const texture = (more: Partial<GPUTextureDescriptor>) => () =>
        device
          .createTexture({ size: [4, 4], format, usage: TextureUsage.renderAttachment, ...more })
          .destroy();
      await compare(`${format}: drawing into it`, canRender, texture({}));
      await compare(`${format}: samples`, canRender && info.isMultisampled, texture({ sampleCount: 4 }));
      const { storageBinding, textureBinding } = TextureUsage;
      const isColor = !info.hasDepth && !info.hasStencil;
      await compare(`${format}: 3d`, isColor, texture({ dimension: '3d', usage: textureBinding }));
      const canStore = storageFault(info, 'texture', has) === '';
      await compare(`${format}: storage`, canStore, texture({ usage: storageBinding }));
      for (const access of ['write-only', 'read-only', 'read-write'] as const) {
        const entries = [{ binding: 0, visibility: 4, storageTexture: { format, access } }];
        await compare(`${format}: ${access}`, storageFault(info, access, has) === '', () =>
          device.createBindGroupLayout({ entries }),
        );
      }
      if (!isColor || !canRender) continue;
      const entryPoint =
        info.sampleType === 'uint' ? 'unsigned' : info.sampleType === 'sint' ? 'signed' : 'floats';
      const pipeline = (target: object, multisample?: GPUMultisampleState) => () =>
        device.createRenderPipeline({
          layout: 'auto',
          vertex: { module, entryPoint: 'vertex' },
          fragment: { module, entryPoint, targets: [{ format, ...target }] },
          multisample,
        });
      const canBlend =
        info.isBlendable || (info.sampleType === 'unfilterable-float' && has('float32-blendable'));
      await compare(`${format}: blending`, canBlend, pipeline({ blend: { color: {}, alpha: {} } }));
      if (!info.isMultisampled) continue;
      const coverage = { count: 4, alphaToCoverageEnabled: true };
      await compare(`${format}: alpha to coverage`, hasAlpha(info), pipeline({}, coverage));
    }
    const limit = device.limits.maxColorAttachmentBytesPerSample;
    const colors = FORMATS.filter((format) => {
      const { isRenderable, hasDepth, hasStencil, renderFeature } = formatInfo(format) as FormatInfo;
      return isRenderable && !hasDepth && !hasStencil && renderFeature === null;
    });
    // Pairs between others, so that alignment counts.
    for (const [i, first] of colors.entries()) {
      const second = colors[(i * 7 + 3) % colors.length];
      for (const rest of [['r8unorm'], ['rgba16float', 'rg8unorm'], ['rgba32float', 'r8unorm', 'r16float']]) {
        const colorFormats = [first, ...rest, second] as GPUTextureFormat[];
        const bytes = attachmentBytes(colorFormats);
        await compare(`${colorFormats}, ${bytes} bytes`, bytes <= limit, () =>
          device.createRenderBundleEncoder({ colorFormats }),
        );
      }
    }
    device.destroy();
  }
  dawn.close();
  expect(differences).toEqual([]);
  expect(count).toBeGreaterThan(700);
});

import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { CheckedImmediateContext } from '../record/checked-contexts.js';
import { rhiCommands } from './commands.js';
import type { RhiCapabilities, ShaderModuleHandle } from './descriptors.js';
import { checkLimits, type LimitedDescriptors } from './limits.js';

const limits = {
  maxBufferSize: 1000,
  maxTextureDimension1D: 16,
  maxTextureDimension2D: 8192,
  maxTextureDimension3D: 64,
  maxTextureArrayLayers: 8,
  maxBindingsPerBindGroup: 10,
  maxStorageBufferBindingSize: 500,
  maxUniformBufferBindingSize: 100,
  maxBindGroups: 4,
  maxVertexBuffers: 2,
  maxVertexBufferArrayStride: 64,
  maxVertexAttributes: 3,
  maxColorAttachments: 2,
  maxUniformBuffersPerShaderStage: 2,
  maxSamplersPerShaderStage: 1,
  maxDynamicStorageBuffersPerPipelineLayout: 1,
};

const contextWith = (capabilities: Pick<RhiCapabilities, 'limits'>) =>
  new CheckedImmediateContext(createLocalStream({ table: rhiCommands }).writer, {
    maxFramesInFlight: 2,
    capabilities,
  });

const texture = (fields: object) => ({ width: 8, height: 8, format: 'rgba8unorm', usage: 1, ...fields });
const pipeline = (fields: object) => ({
  bindGroupLayouts: [],
  vertex: { module: 1, entryPoint: 'main' },
  ...fields,
});
const vertex = (...buffers: unknown[]) => ({ vertex: { module: 1, entryPoint: 'main', buffers } });
const stride = (arrayStride: number, count = 0) => ({ arrayStride, attributes: Array(count).fill({}) });

const uniform = { visibility: 2, buffer: {} };
const dynamic = { visibility: 4, buffer: { type: 'storage', hasDynamicOffset: true } };
const bindings = (...entries: object[]) => ({
  entries: entries.map((entry, binding) => ({ binding, ...entry })),
});

type Row = [kind: keyof LimitedDescriptors, descriptor: object];

describe('limits of the device, at the creating call', () => {
  it.each<Row>([
    ['buffer', { byteLength: 0 }],
    ['buffer', { byteLength: 1000 }],
    ['texture', texture({ width: 8192, height: 8192, mipLevelCount: 14 })],
    ['texture', texture({ depthOrArrayLayers: 8 })],
    ['texture', texture({ dimension: '3d', depthOrArrayLayers: 64, mipLevelCount: 7 })],
    ['texture', texture({ dimension: '1d', width: 16, height: 1 })],
    ['bindGroupLayout', { entries: [{ binding: 9 }] }],
    [
      'bindGroupLayout',
      bindings(uniform, uniform, { visibility: 5, buffer: {} }, { visibility: 2, sampler: {} }),
    ],
    ['bindGroupLayout', bindings(dynamic)],
    ['computePipeline', { bindGroupLayouts: [1, 2, 3, 4] }],
    ['bindGroup', { entries: [{ buffer: 1, byteLength: 500 }, { sampler: 2 }] }],
    ['graphicsPipeline', pipeline({ bindGroupLayouts: [1, 2, 3, 4] })],
    ['graphicsPipeline', pipeline(vertex(null, stride(64, 3)))],
    ['querySet', { count: 4096 }],
  ])('%s %j is accepted', (kind, descriptor) => {
    checkLimits(kind, { label: 'thing', ...descriptor } as never, { limits });
  });

  it.each<[...Row, message: string]>([
    ['buffer', { byteLength: 1001 }, 'a byteLength of 1001; this device allows 0 to 1000 (maxBufferSize)'],
    ['buffer', { byteLength: -1 }, 'a byteLength of -1'],
    ['buffer', { byteLength: Number.NaN }, 'a byteLength of NaN'],
    [
      'texture',
      texture({ width: 9000 }),
      'a width of 9000; this device allows 1 to 8192 (maxTextureDimension2D)',
    ],
    ['texture', texture({ height: 0 }), 'a height of 0'],
    ['texture', texture({ depthOrArrayLayers: 9 }), '1 to 8 (maxTextureArrayLayers)'],
    ['texture', texture({ dimension: '3d', depthOrArrayLayers: 65 }), '1 to 64 (maxTextureDimension3D)'],
    ['texture', texture({ dimension: '1d', width: 17, height: 1 }), '1 to 16 (maxTextureDimension1D)'],
    ['texture', texture({ mipLevelCount: 5 }), 'a mipLevelCount of 5; this device allows 1 to 4 (its size)'],
    ['bindGroupLayout', { entries: [{ binding: 10 }] }, 'bind group layout "thing" has a binding of 10'],
    [
      'bindGroupLayout',
      bindings(uniform, uniform, uniform),
      'a number of uniform buffers in the fragment stage of 3; this device allows 0 to 2 (maxUniformBuffersPerShaderStage)',
    ],
    [
      'bindGroupLayout',
      bindings({ visibility: 1, sampler: {} }, { visibility: 3, sampler: {} }),
      'a number of samplers in the vertex stage of 2',
    ],
    [
      'bindGroupLayout',
      bindings(dynamic, dynamic),
      'a number of storage buffers with a dynamic offset (hasDynamicOffset) of 2; this device allows 0 to 1',
    ],
    [
      'computePipeline',
      { bindGroupLayouts: [1, 2, 3, 4, 5] },
      'compute pipeline "thing" has a number of bind',
    ],
    [
      'bindGroup',
      { entries: [{ buffer: 1, byteLength: 501 }] },
      'byteLength of 501; this device allows 0 to 500',
    ],
    ['graphicsPipeline', pipeline({ bindGroupLayouts: [1, 2, 3, 4, 5] }), 'a number of bind groups of 5'],
    ['graphicsPipeline', pipeline(vertex(null, null, null)), 'a number of vertex buffers of 3'],
    ['graphicsPipeline', pipeline(vertex(stride(65))), 'a vertex stride of 65'],
    ['graphicsPipeline', pipeline(vertex(stride(4, 2), stride(4, 2))), 'a number of vertex attributes of 4'],
    ['graphicsPipeline', pipeline({ fragment: { targets: [1, 2, 3] } }), 'a number of color targets of 3'],
    ['querySet', { count: 4097 }, 'a count of 4097'],
  ])('%s %j is refused', (kind, descriptor, message) => {
    const check = () => checkLimits(kind, { label: 'thing', ...descriptor } as never, { limits });
    expect(check).toThrow(expect.objectContaining({ name: 'RhiError', code: 'limit-exceeded' }));
    expect(check).toThrow(message);
    expect(check).toThrow('"thing"');
  });

  it('counts the bindings of all layouts of a pipeline together', () => {
    const layouts = { label: 'layout', ...bindings(uniform) } as never;
    const check = (kind: 'graphicsPipeline' | 'computePipeline', count: number) =>
      checkLimits(
        kind,
        { label: 'thing', ...pipeline({ bindGroupLayouts: Array(count).fill(1) }) } as never,
        { limits },
        (layout) => (layout === 1 ? layouts : undefined),
      );
    for (const kind of ['graphicsPipeline', 'computePipeline'] as const) {
      check(kind, 2);
      expect(() => check(kind, 3)).toThrow('a number of uniform buffers in the fragment stage of 3');
    }
  });

  it('a context counts the bindings of its layouts until they are destroyed', () => {
    const rhi = contextWith({ limits });
    const layout = rhi.createBindGroupLayout({ label: 'layout', ...bindings(uniform, uniform) } as never);
    const compute = { module: 1 as ShaderModuleHandle, entryPoint: 'c' };
    const create = () =>
      rhi.createComputePipeline({ label: 'thing', bindGroupLayouts: [layout, layout], compute });
    expect(create).toThrow(expect.objectContaining({ code: 'limit-exceeded' }));
    rhi.destroy(layout);
    expect(create).not.toThrow();
  });

  it.each([
    [[], 'The kind of checkLimits is undefined; it has to be one of buffer, texture'],
    [['buffers', {}, { limits }], 'The kind of checkLimits is "buffers"'],
    [['buffer', undefined, { limits }], 'The descriptor of checkLimits is undefined'],
    [['buffer', {}], 'The capabilities of checkLimits is undefined'],
    [
      ['buffer', {}, {}],
      'The capabilities of checkLimits is an object; it has to be the capabilities of an RHI',
    ],
  ])('%j: %s', (given, message) => {
    const check = checkLimits as unknown as (...given: unknown[]) => void;
    expect(() => check(...given)).toThrow(
      expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining(message) }),
    );
  });

  it('does not check limits that the capabilities do not contain', () => {
    checkLimits('buffer', { label: 'thing', byteLength: 2 ** 40, usage: 0 }, { limits: {} });
    checkLimits('texture', { label: 'thing', ...texture({ width: 1e6 }) } as never, { limits: {} });
  });
});

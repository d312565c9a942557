import { describe, expect, it } from 'vitest';
import type { DescribedKind } from '../commands/descriptor-shapes.js';
import type {
  BindGroupDescriptor,
  BindGroupLayoutDescriptor,
  BindGroupLayoutHandle,
  BufferDescriptor,
  BufferHandle,
  ColorAttachment,
  ComputePassDescriptor,
  ComputePipelineDescriptor,
  DepthStencilAttachment,
  DrawBundleDescriptor,
  GraphicsPipelineDescriptor,
  GraphicsPipelineHandle,
  ProgrammableStage,
  QuerySetDescriptor,
  QuerySetHandle,
  RenderPassDescriptor,
  SamplerDescriptor,
  SamplerHandle,
  ShaderModuleDescriptor,
  ShaderModuleHandle,
  TextureDescriptor,
  TextureHandle,
  TextureViewDescriptor,
  TimestampWrites,
} from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import { CheckedDeferredContext as DeferredContext } from './checked-contexts.js';
import { checkDescriptor } from './descriptor-checks.js';

const stage = { module: 4, entryPoint: 'main' };
const texture = { label: 't', width: 4, height: 4, format: 'rgba8unorm', usage: 1 } as const;
/** Descriptors with missing members or members of the wrong type. */
const slips: readonly [kind: DescribedKind, descriptor: unknown, message: string][] = [
  ['buffer', undefined, 'its descriptor = undefined. Give an object'],
  ['buffer', { byteLength: 4, usage: 1 }, 'The buffer has label = undefined. Give a string'],
  ['buffer', { label: 'b', size: 4, usage: 1 }, '"b" has byteLength = undefined. Give its size in bytes'],
  ['buffer', { label: 'b', byteLength: 4 }, '"b" has usage = undefined. Give bits of BufferUsage'],
  ['texture', { label: 't', size: [4, 4] }, '"t" has width = undefined. Give its width in texels'],
  ['texture', { label: 't', width: 4, height: 4, usage: 1 }, '"t" has format = undefined'],
  ['shader module', { label: 's' }, '"s" has code = undefined. Give WGSL'],
  ['bind group layout', { label: 'l' }, '"l" has entries = undefined'],
  ['bind group layout', { label: 'l', entries: [{ binding: 0 }] }, 'entries[0].visibility = undefined'],
  ['bind group', { label: 'g', entries: [] }, '"g" has layout = undefined'],
  [
    'bind group',
    { label: 'g', layout: 5, entries: [{ binding: 0, resource: { buffer: 1 } }] },
    'entries[0].resource = an object. Give entries[0].buffer, .sampler or .view',
  ],
  [
    'bind group',
    { label: 'g', layout: 5, entries: [{ binding: 0, view: 2 }] },
    'entries[0].view = 2. Give { texture }',
  ],
  ['bind group', { label: 'g', layout: 5, entries: [{ binding: 0 }] }, 'entries[0] = an object'],
  ['graphics pipeline', { label: 'p', vertex: stage }, '"p" has bindGroupLayouts = undefined'],
  [
    'graphics pipeline',
    { label: 'p', layout: 'auto', bindGroupLayouts: 'auto' },
    'bindGroupLayouts = "auto"',
  ],
  [
    'graphics pipeline',
    { label: 'p', bindGroupLayouts: [], vertex: { module: 4 } },
    'vertex.entryPoint = undefined',
  ],
  [
    'graphics pipeline',
    { label: 'p', bindGroupLayouts: [], vertex: stage, fragment: stage },
    'fragment.targets',
  ],
  [
    'compute pipeline',
    { label: 'p', bindGroupLayouts: [{}], compute: stage },
    'bindGroupLayouts[0] = an object',
  ],
  [
    'compute pipeline',
    { label: 'p', bindGroupLayouts: [] },
    'compute = undefined. Give { module, entryPoint }',
  ],
  ['query set', { label: 'q', type: 'occlusion' }, '"q" has count = undefined'],
  [
    'render pass',
    { label: 'r', colorAttachments: [{ view: 2 }] },
    'colorAttachments[0].view = 2. Give { texture }',
  ],
  [
    'render pass',
    { label: 'r', colorAttachments: [], depthStencilAttachment: {} },
    'depthStencilAttachment.view',
  ],
];

const attachment = (more: object) => ({
  label: 'r',
  colorAttachments: [{ view: { texture: 2 }, loadOp: 'clear', storeOp: 'store', ...more }],
});

/** Descriptors with an unknown member, which would have no effect. */
const unknown: readonly [kind: DescribedKind, descriptor: object, message: string][] = [
  [
    'buffer',
    { label: 'b', byteLength: 4, usage: 1, size: 3 },
    'The buffer "b" has size = 3. Give only label, byteLength, usage.',
  ],
  ['texture', { ...texture, sizes: [4] }, 'The texture "t" has sizes = a list. Give only label, width'],
  ['sampler', { label: 's', filter: 'linear' }, '"s" has filter = "linear". Give only label, addressModeU'],
  ['shader module', { label: 's', code: '', hints: {} }, '"s" has hints = an object'],
  ['bind group layout', { label: 'l', entries: [], entry: 1 }, '"l" has entry = 1'],
  [
    'bind group',
    { label: 'g', layout: 5, entries: [{ binding: 0, buffer: 1, offset: 256 }] },
    '"g" has entries[0].offset = 256. Give only binding, buffer, byteOffset, byteLength.',
  ],
  [
    'bind group',
    { label: 'g', layout: 5, entries: [{ binding: 0, view: { texture: 2, mipLevel: 1 } }] },
    '"g" has entries[0].view.mipLevel = 1. Give only texture, format',
  ],
  ['graphics pipeline', { label: 'p', bindGroupLayouts: [], vertex: stage, blend: {} }, '"p" has blend'],
  [
    'graphics pipeline',
    { label: 'p', bindGroupLayouts: [], vertex: { ...stage, targets: [] } },
    '"p" has vertex.targets = a list. Give only module, entryPoint, constants, buffers.',
  ],
  [
    'compute pipeline',
    { label: 'p', bindGroupLayouts: [], compute: stage, layout: 'auto' },
    '"p" has layout',
  ],
  ['query set', { label: 'q', type: 'occlusion', count: 2, size: 2 }, '"q" has size = 2'],
  [
    'render pass',
    attachment({ clearColor: [0, 0, 0, 1] }),
    '"r" has colorAttachments[0].clearColor = a list. Give only view, depthSlice, resolveTarget, loadOp, storeOp, clearValue.',
  ],
  [
    'render pass',
    { label: 'r', colorAttachments: [], depthStencilAttachment: { view: { texture: 2 }, clearValue: 1 } },
    '"r" has depthStencilAttachment.clearValue = 1',
  ],
  ['render pass', { label: 'r', colorAttachments: [], depthAttachment: {} }, '"r" has depthAttachment'],
  ['compute pass', { label: 'c', timestamps: {} }, '"c" has timestamps'],
  ['draw bundle', { label: 'd', colorFormats: [] }, '"d" has colorFormats = a list. Give only label.'],
];

/**
 * A view with all members. `Required` makes the compiler report a missing member, here and in the objects
 * below.
 */
const view: Required<TextureViewDescriptor> = {
  texture: 2 as TextureHandle,
  format: 'rgba8unorm',
  dimension: '2d',
  aspect: 'all',
  baseMipLevel: 0,
  mipLevelCount: 1,
  baseArrayLayer: 0,
  arrayLayerCount: 1,
};
const wholeStage: Required<ProgrammableStage> = {
  module: 4 as ShaderModuleHandle,
  entryPoint: 'main',
  constants: { size: 0.5 },
};
const timestampWrites: Required<TimestampWrites> = {
  querySet: 9 as QuerySetHandle,
  beginningOfPassWriteIndex: 0,
  endOfPassWriteIndex: 1,
};
const blendComponent: Required<GPUBlendComponent> = { operation: 'add', srcFactor: 'one', dstFactor: 'zero' };
const stencilFace: Required<GPUStencilFaceState> = {
  compare: 'always',
  failOp: 'keep',
  depthFailOp: 'keep',
  passOp: 'replace',
};
const complete: {
  readonly sampler: Required<SamplerDescriptor>;
  readonly buffer: Required<BufferDescriptor>;
  readonly texture: Required<TextureDescriptor>;
  readonly 'shader module': Required<ShaderModuleDescriptor>;
  readonly 'bind group layout': Required<BindGroupLayoutDescriptor>;
  readonly 'bind group': Required<BindGroupDescriptor>;
  readonly 'graphics pipeline': Required<GraphicsPipelineDescriptor>;
  readonly 'compute pipeline': Required<ComputePipelineDescriptor>;
  readonly 'query set': Required<QuerySetDescriptor>;
  readonly 'render pass': Required<RenderPassDescriptor>;
  readonly 'compute pass': Required<ComputePassDescriptor>;
  readonly 'draw bundle': Required<DrawBundleDescriptor>;
} = {
  buffer: { label: 'b', byteLength: 4, usage: 1 },
  texture: {
    ...texture,
    depthOrArrayLayers: 1,
    mipLevelCount: 1,
    sampleCount: 1,
    dimension: '2d',
    viewFormats: [],
  },
  sampler: {
    label: 's',
    addressModeU: 'repeat',
    addressModeV: 'repeat',
    addressModeW: 'repeat',
    magFilter: 'linear',
    minFilter: 'linear',
    mipmapFilter: 'linear',
    lodMinClamp: 0,
    lodMaxClamp: 1,
    compare: 'less',
    maxAnisotropy: 1,
  },
  'shader module': { label: 's', code: '' },
  'bind group layout': {
    label: 'l',
    entries: [
      {
        binding: 0,
        visibility: 1,
        buffer: {
          type: 'read-only-storage',
          hasDynamicOffset: true,
          minBindingSize: 16,
        } satisfies Required<GPUBufferBindingLayout>,
        sampler: { type: 'non-filtering' } satisfies Required<GPUSamplerBindingLayout>,
        texture: {
          sampleType: 'unfilterable-float',
          viewDimension: '2d-array',
          multisampled: true,
        } satisfies Required<GPUTextureBindingLayout>,
        storageTexture: {
          access: 'read-write',
          format: 'r32uint',
          viewDimension: '3d',
        } satisfies Required<GPUStorageTextureBindingLayout>,
        externalTexture: {},
      } satisfies Required<GPUBindGroupLayoutEntry>,
    ],
  },
  'bind group': {
    label: 'g',
    layout: 5 as BindGroupLayoutHandle,
    entries: [
      { binding: 0, buffer: 1 as BufferHandle, byteOffset: 0, byteLength: 4 },
      { binding: 1, sampler: 3 as SamplerHandle },
      { binding: 2, view },
    ],
  },
  'graphics pipeline': {
    label: 'p',
    bindGroupLayouts: [],
    vertex: {
      ...wholeStage,
      buffers: [
        null,
        {
          arrayStride: 16,
          stepMode: 'instance',
          attributes: [
            {
              format: 'unorm10-10-10-2',
              offset: 0,
              shaderLocation: 0,
            } satisfies Required<GPUVertexAttribute>,
          ],
        } satisfies Required<GPUVertexBufferLayout>,
      ],
    },
    fragment: {
      ...wholeStage,
      targets: [
        null,
        {
          format: 'bgra8unorm-srgb',
          blend: { color: blendComponent, alpha: blendComponent } satisfies Required<GPUBlendState>,
          writeMask: 15,
        } satisfies Required<GPUColorTargetState>,
      ],
    },
    primitive: {
      topology: 'triangle-strip',
      stripIndexFormat: 'uint16',
      frontFace: 'cw',
      cullMode: 'back',
      unclippedDepth: true,
    } satisfies Required<GPUPrimitiveState>,
    depthStencil: {
      format: 'depth32float-stencil8',
      depthWriteEnabled: true,
      depthCompare: 'not-equal',
      stencilFront: stencilFace,
      stencilBack: stencilFace,
      stencilReadMask: 0xffffffff,
      stencilWriteMask: 0,
      depthBias: -2,
      depthBiasSlopeScale: -0.5,
      depthBiasClamp: 0.01,
    } satisfies Required<GPUDepthStencilState>,
    multisample: {
      count: 4,
      mask: 0xffffffff,
      alphaToCoverageEnabled: false,
    } satisfies Required<GPUMultisampleState>,
    fallback: 7 as GraphicsPipelineHandle,
  },
  'compute pipeline': { label: 'p', bindGroupLayouts: [], compute: wholeStage },
  'query set': { label: 'q', type: 'occlusion', count: 1 },
  'render pass': {
    label: 'r',
    colorAttachments: [
      {
        view,
        depthSlice: 0,
        resolveTarget: view,
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [0, 0, 0, 1],
      } satisfies Required<ColorAttachment>,
    ],
    depthStencilAttachment: {
      view,
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
      depthClearValue: 1,
      depthReadOnly: false,
      stencilLoadOp: 'clear',
      stencilStoreOp: 'store',
      stencilClearValue: 0,
      stencilReadOnly: false,
    } satisfies Required<DepthStencilAttachment>,
    occlusionQuerySet: 9 as QuerySetHandle,
    timestampWrites,
  },
  'compute pass': { label: 'c', timestampWrites },
  'draw bundle': { label: 'd' },
};

/** All vertex formats, then all texture formats. `Record` makes the compiler report a missing format. */
// biome-ignore format: one format per line would be no clearer
const vertexFormats: Readonly<Record<GPUVertexFormat, 0>> = { uint8: 0, uint8x2: 0, uint8x4: 0, sint8: 0, sint8x2: 0, sint8x4: 0, unorm8: 0, unorm8x2: 0, unorm8x4: 0, snorm8: 0, snorm8x2: 0, snorm8x4: 0, uint16: 0, uint16x2: 0, uint16x4: 0, sint16: 0, sint16x2: 0, sint16x4: 0, unorm16: 0, unorm16x2: 0, unorm16x4: 0, snorm16: 0, snorm16x2: 0, snorm16x4: 0, float16: 0, float16x2: 0, float16x4: 0, float32: 0, float32x2: 0, float32x3: 0, float32x4: 0, uint32: 0, uint32x2: 0, uint32x3: 0, uint32x4: 0, sint32: 0, sint32x2: 0, sint32x3: 0, sint32x4: 0, 'unorm10-10-10-2': 0, 'unorm8x4-bgra': 0, 'snorm10-10-10-2': 0 };
// biome-ignore format: one format per line would be no clearer
const textureFormats: Readonly<Record<GPUTextureFormat, 0>> = { r8unorm: 0, r8snorm: 0, r8uint: 0, r8sint: 0, r16unorm: 0, r16snorm: 0, r16uint: 0, r16sint: 0, r16float: 0, rg8unorm: 0, rg8snorm: 0, rg8uint: 0, rg8sint: 0, r32uint: 0, r32sint: 0, r32float: 0, rg16unorm: 0, rg16snorm: 0, rg16uint: 0, rg16sint: 0, rg16float: 0, rgba8unorm: 0, 'rgba8unorm-srgb': 0, rgba8snorm: 0, rgba8uint: 0, rgba8sint: 0, bgra8unorm: 0, 'bgra8unorm-srgb': 0, rgb9e5ufloat: 0, rgb10a2uint: 0, rgb10a2unorm: 0, rg11b10ufloat: 0, rg32uint: 0, rg32sint: 0, rg32float: 0, rgba16unorm: 0, rgba16snorm: 0, rgba16uint: 0, rgba16sint: 0, rgba16float: 0, rgba32uint: 0, rgba32sint: 0, rgba32float: 0, stencil8: 0, depth16unorm: 0, depth24plus: 0, 'depth24plus-stencil8': 0, depth32float: 0, 'depth32float-stencil8': 0, 'bc1-rgba-unorm': 0, 'bc1-rgba-unorm-srgb': 0, 'bc2-rgba-unorm': 0, 'bc2-rgba-unorm-srgb': 0, 'bc3-rgba-unorm': 0, 'bc3-rgba-unorm-srgb': 0, 'bc4-r-unorm': 0, 'bc4-r-snorm': 0, 'bc5-rg-unorm': 0, 'bc5-rg-snorm': 0, 'bc6h-rgb-ufloat': 0, 'bc6h-rgb-float': 0, 'bc7-rgba-unorm': 0, 'bc7-rgba-unorm-srgb': 0, 'etc2-rgb8unorm': 0, 'etc2-rgb8unorm-srgb': 0, 'etc2-rgb8a1unorm': 0, 'etc2-rgb8a1unorm-srgb': 0, 'etc2-rgba8unorm': 0, 'etc2-rgba8unorm-srgb': 0, 'eac-r11unorm': 0, 'eac-r11snorm': 0, 'eac-rg11unorm': 0, 'eac-rg11snorm': 0, 'astc-4x4-unorm': 0, 'astc-4x4-unorm-srgb': 0, 'astc-5x4-unorm': 0, 'astc-5x4-unorm-srgb': 0, 'astc-5x5-unorm': 0, 'astc-5x5-unorm-srgb': 0, 'astc-6x5-unorm': 0, 'astc-6x5-unorm-srgb': 0, 'astc-6x6-unorm': 0, 'astc-6x6-unorm-srgb': 0, 'astc-8x5-unorm': 0, 'astc-8x5-unorm-srgb': 0, 'astc-8x6-unorm': 0, 'astc-8x6-unorm-srgb': 0, 'astc-8x8-unorm': 0, 'astc-8x8-unorm-srgb': 0, 'astc-10x5-unorm': 0, 'astc-10x5-unorm-srgb': 0, 'astc-10x6-unorm': 0, 'astc-10x6-unorm-srgb': 0, 'astc-10x8-unorm': 0, 'astc-10x8-unorm-srgb': 0, 'astc-10x10-unorm': 0, 'astc-10x10-unorm-srgb': 0, 'astc-12x10-unorm': 0, 'astc-12x10-unorm-srgb': 0, 'astc-12x12-unorm': 0, 'astc-12x12-unorm-srgb': 0 };

const pipeline = (more: object) => ({ label: 'p', bindGroupLayouts: [], vertex: stage, ...more });
const slots = (...buffers: unknown[]) => pipeline({ vertex: { ...stage, buffers } });
const targets = (...list: unknown[]) => pipeline({ fragment: { ...stage, targets: list } });
const layoutEntry = (more: object) => ({ label: 'l', entries: [{ binding: 0, visibility: 1, ...more }] });
const cyclic: Record<string, unknown> = { label: 's' };
cyclic.compare = cyclic;

/** Descriptors with a fault that the browser ignores, finds frames later, or reports as a JavaScript error. */
const nested: readonly [kind: DescribedKind, descriptor: object, message: string][] = [
  [
    'graphics pipeline',
    pipeline({ primitive: { cullmode: 'back' } }),
    'primitive.cullmode = "back". Give only topology',
  ],
  [
    'graphics pipeline',
    pipeline({ primitive: { topology: 'triangles' } }),
    'primitive.topology = "triangles". Give one of point-list, line-list',
  ],
  [
    'graphics pipeline',
    pipeline({ primitive: { unclippedDepth: 1 } }),
    'unclippedDepth = 1. Give true or false.',
  ],
  ['graphics pipeline', pipeline({ primitive: null }), 'primitive = null. Give an object.'],
  [
    'graphics pipeline',
    pipeline({ depthStencil: { format: 'depth24' } }),
    'format = "depth24". Give a texture format.',
  ],
  [
    'graphics pipeline',
    pipeline({ depthStencil: { format: 'depth24plus', depthWrite: true } }),
    'depthStencil.depthWrite = true. Give only format, depthWriteEnabled',
  ],
  [
    'graphics pipeline',
    pipeline({ depthStencil: { format: 'stencil8', stencilFront: { passOp: 'increment' } } }),
    'depthStencil.stencilFront.passOp = "increment". Give one of keep, zero',
  ],
  [
    'graphics pipeline',
    pipeline({ multisample: { samples: 4 } }),
    'multisample.samples = 4. Give only count',
  ],
  [
    'graphics pipeline',
    slots({ arrayStride: 8 }),
    'vertex.buffers[0].attributes = undefined. Give a list of { format',
  ],
  ['graphics pipeline', slots(undefined), 'vertex.buffers[0] = undefined. Give a list with { arrayStride'],
  [
    'graphics pipeline',
    pipeline({ vertex: { ...stage, buffers: {} } }),
    'vertex.buffers = an object. Give a list',
  ],
  [
    'graphics pipeline',
    slots(null, { arrayStride: 8, attributes: [{ format: 'float2', offset: 0, shaderLocation: 0 }] }),
    'vertex.buffers[1].attributes[0].format = "float2". Give a vertex format.',
  ],
  [
    'graphics pipeline',
    slots({ arrayStride: -8, attributes: [] }),
    'arrayStride = -8. Give a whole number from 0 up: the bytes from one vertex to the next.',
  ],
  [
    'graphics pipeline',
    targets({ format: 'rgba8' }),
    'fragment.targets[0].format = "rgba8". Give a texture format.',
  ],
  [
    'graphics pipeline',
    targets({ format: 'rgba8unorm', blend: {} }),
    'fragment.targets[0].blend.color = undefined',
  ],
  [
    'graphics pipeline',
    targets({ format: 'rgba8unorm', blend: { color: { srcFactor: 'source' }, alpha: {} } }),
    'fragment.targets[0].blend.color.srcFactor = "source". Give one of zero, one',
  ],
  [
    'graphics pipeline',
    pipeline({ vertex: { ...stage, constants: { size: '1' } } }),
    'vertex.constants = an object. Give numbers by name.',
  ],
  [
    'bind group layout',
    layoutEntry({ buffer: { hasDynamicOffsets: true } }),
    '"l" has entries[0].buffer.hasDynamicOffsets = true. Give only type, hasDynamicOffset, minBindingSize.',
  ],
  [
    'bind group layout',
    layoutEntry({ sampler: { type: 'linear' } }),
    'sampler.type = "linear". Give one of filtering',
  ],
  [
    'bind group layout',
    layoutEntry({ storageTexture: {} }),
    'storageTexture.format = undefined. Give a texture format.',
  ],
  [
    'bind group layout',
    layoutEntry({ visibility: 1.5 }),
    'visibility = 1.5. Give a whole number from 0 up: bits of',
  ],
  [
    'bind group layout',
    layoutEntry({ externalTexture: { a: 1 } }),
    'externalTexture.a = 1. Give an empty object.',
  ],
  ['bind group layout', { label: 'l', entries: [null] }, 'entries[0] = null. Give a list of entries'],
  [
    'bind group',
    { label: 'g', layout: 1.5, entries: [] },
    'layout = 1.5. Give a whole number from 0 up: the handle',
  ],
  [
    'buffer',
    { label: 'b', byteLength: 1.5, usage: 1 },
    'byteLength = 1.5. Give a whole number from 0 up: its size',
  ],
  ['buffer', { label: 'b', byteLength: 4n, usage: 1 }, 'byteLength = 4n. Give its size in bytes.'],
  ['buffer', [], 'its descriptor = a list. Give an object.'],
  ['texture', { ...texture, dimension: 3 }, 'dimension = 3. Give one of 1d, 2d, 3d.'],
  [
    'texture',
    { ...texture, viewFormats: ['rgba8unorm', 'srgb'] },
    'viewFormats[1] = "srgb". Give a list of texture',
  ],
  ['texture', { ...texture, sampleCount: null }, 'sampleCount = null. Give a whole number.'],
  ['sampler', { label: 's', magFilter: 'Linear' }, 'magFilter = "Linear". Give one of nearest, linear.'],
  ['sampler', { label: 's', lodMaxClamp: Number.NaN }, 'lodMaxClamp = NaN. Give a number.'],
  ['sampler', cyclic, 'compare = an object. Give one of never, less'],
  [
    'query set',
    { label: 'q', type: 'Occlusion', count: 1 },
    'type = "Occlusion". Give one of occlusion, timestamp.',
  ],
  [
    'render pass',
    attachment({ clearValue: [1, 0, 0] }),
    'colorAttachments[0].clearValue = [1, 0, 0]. Give [red, green',
  ],
  [
    'render pass',
    attachment({ clearValue: [1, 0, 0, Number.NaN] }),
    'clearValue = [1, 0, 0, NaN]. Give [red, green',
  ],
  [
    'render pass',
    attachment({ clearValue: { r: 1 } }),
    'clearValue = an object. Give [red, green, blue, alpha].',
  ],
  ['render pass', attachment({ loadOp: undefined }), 'loadOp = undefined. Give one of load, clear.'],
  ['render pass', attachment({ loadOp: 'Clear' }), 'loadOp = "Clear". Give one of load, clear.'],
  [
    'render pass',
    attachment({ depthSlice: -1 }),
    'depthSlice = -1. Give a whole number from 0 up: the slice',
  ],
  [
    'render pass',
    { label: 'r', colorAttachments: [], timestampWrites: { set: 3 } },
    'timestampWrites.querySet = undefined. Give a query set’s handle.',
  ],
  [
    'compute pass',
    { label: 'c', timestampWrites: { querySet: 3, end: 1 } },
    'timestampWrites.end = 1. Give only querySet, beginningOfPassWriteIndex, endOfPassWriteIndex.',
  ],
  [
    'render pass',
    {
      label: 'r',
      colorAttachments: [],
      depthStencilAttachment: { view: { texture: 2, aspect: 'depth' }, depthClearValue: 1 },
    },
    'depthStencilAttachment.view.aspect = "depth". Give one of all',
  ],
];

describe('checkDescriptor', () => {
  it.each(nested.map(([kind, descriptor, message]) => [message, kind, descriptor] as const))(
    'rejects a fault inside a descriptor: %s',
    (message, kind, descriptor) => {
      expect(() => checkDescriptor(kind, descriptor)).toThrow(
        expect.objectContaining({ code: 'bad-descriptor', message: expect.stringContaining(message) }),
      );
    },
  );

  it('knows every format that the compiler knows', () => {
    for (const format of Object.keys(vertexFormats)) {
      const attributes = [{ format, offset: 0, shaderLocation: 0 }];
      expect(() =>
        checkDescriptor('graphics pipeline', slots({ arrayStride: 16, attributes })),
      ).not.toThrow();
    }
    for (const format of Object.keys(textureFormats)) {
      expect(() => checkDescriptor('texture', { ...texture, format })).not.toThrow();
    }
  });

  it.each(unknown)('rejects an unknown member of a %s, %j: %s', (kind, descriptor, message) => {
    expect(() => checkDescriptor(kind, descriptor)).toThrow(
      expect.objectContaining({ code: 'bad-descriptor', message: expect.stringContaining(message) }),
    );
  });

  it.each(Object.entries(complete))('accepts a %s with all members', (kind, descriptor) => {
    expect(() => checkDescriptor(kind as DescribedKind, descriptor)).not.toThrow();
  });

  it.each(slips)('rejects the %s %j: %s', (kind, descriptor, message) => {
    expect(() => checkDescriptor(kind, descriptor as object)).toThrow(
      expect.objectContaining({ code: 'bad-descriptor', message: expect.stringContaining(message) }),
    );
  });

  it('checks the passes of immediate and deferred contexts', () => {
    const rhi = createRhi({ device: null });
    const deferred = new DeferredContext();
    rhi.context.beginFrame(0);
    deferred.begin(rhi.context.openSubList('list'));
    for (const context of [rhi.context, deferred]) {
      const begin = () => context.beginRenderPass({ label: 'r', colorAttachments: [{ view: 2 }] } as never);
      expect(begin).toThrow(expect.objectContaining({ code: 'bad-descriptor' }));
      const writes = { label: 'c', timestampWrites: { set: 3 } } as never;
      expect(() => context.beginComputePass(writes)).toThrow('timestampWrites.querySet = undefined');
    }
    rhi.dispose();
  });

  it('accepts descriptors without optional members', () => {
    const view = { texture: 2 };
    const whole: readonly [DescribedKind, object][] = [
      ['buffer', { label: '', byteLength: 0, usage: 0 }],
      ['texture', { label: 't', width: 1, height: 1, format: 'rgba8unorm', usage: 1 }],
      ['sampler', { label: 's' }],
      ['shader module', { label: 's', code: '' }],
      ['bind group layout', { label: 'l', entries: [{ binding: 0, visibility: 1, buffer: {} }] }],
      [
        'bind group',
        {
          label: 'g',
          layout: 5,
          entries: [
            { binding: 0, view },
            { binding: 1, buffer: 1 },
            { binding: 2, sampler: 3 },
          ],
        },
      ],
      [
        'graphics pipeline',
        { label: 'p', bindGroupLayouts: [5], vertex: stage, fragment: { ...stage, targets: [] } },
      ],
      ['graphics pipeline', { label: 'p', bindGroupLayouts: [], vertex: stage }],
      ['compute pipeline', { label: 'p', bindGroupLayouts: [], compute: stage }],
      ['query set', { label: 'q', type: 'timestamp', count: 2 }],
      [
        'render pass',
        {
          label: 'r',
          colorAttachments: [null, { view, loadOp: 'load', storeOp: 'store' }],
          depthStencilAttachment: { view },
        },
      ],
      ['compute pass', { label: 'c' }],
    ];
    for (const [kind, descriptor] of whole) expect(() => checkDescriptor(kind, descriptor)).not.toThrow();
  });
});

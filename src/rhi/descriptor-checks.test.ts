import { describe, expect, it } from 'vitest';
import { checkDescriptor, type DescribedKind } from './descriptor-checks.js';
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
} from './descriptors.js';

const stage = { module: 4, entryPoint: 'main' };
const texture = { label: 't', width: 4, height: 4, format: 'rgba8unorm', usage: 1 } as const;
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

/** Names that the object doesn't have would do nothing. */
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
    { label: 'r', colorAttachments: [{ view: { texture: 2 }, clearColor: [0, 0, 0, 1] }] },
    '"r" has colorAttachments[0].clearColor = a list. Give only view, resolveTarget, loadOp, storeOp, clearValue.',
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

/** All that there is; the compiler says when a field is missing here. */
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
  constants: {},
};
const timestampWrites = { querySet: 9 as QuerySetHandle };
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
  'bind group layout': { label: 'l', entries: [{ binding: 0, visibility: 1, buffer: {} }] },
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
    vertex: { ...wholeStage, buffers: [] },
    fragment: { ...wholeStage, targets: [] },
    primitive: {},
    depthStencil: { format: 'depth16unorm' },
    multisample: {},
  },
  'compute pipeline': { label: 'p', bindGroupLayouts: [], compute: wholeStage },
  'query set': { label: 'q', type: 'occlusion', count: 1 },
  'render pass': {
    label: 'r',
    colorAttachments: [
      {
        view,
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

describe('checkDescriptor', () => {
  it.each(unknown)('%s %j: %s', (kind, descriptor, message) => {
    expect(() => checkDescriptor(kind, descriptor)).toThrow(
      expect.objectContaining({ code: 'bad-descriptor', message: expect.stringContaining(message) }),
    );
  });

  it.each(Object.entries(complete))('%s: passes all that it can have', (kind, descriptor) => {
    expect(() => checkDescriptor(kind as DescribedKind, descriptor)).not.toThrow();
  });

  it.each(slips)('%s %j: %s', (kind, descriptor, message) => {
    expect(() => checkDescriptor(kind, descriptor as object)).toThrow(
      expect.objectContaining({ code: 'bad-descriptor', message: expect.stringContaining(message) }),
    );
  });

  it('passes what is whole', () => {
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
      ['render pass', { label: 'r', colorAttachments: [null, { view }], depthStencilAttachment: { view } }],
      ['compute pass', { label: 'c' }],
    ];
    for (const [kind, descriptor] of whole) expect(() => checkDescriptor(kind, descriptor)).not.toThrow();
  });
});

import { describe, expect, it } from 'vitest';
import { checkDescriptor, type DescribedKind } from './descriptor-checks.js';

const stage = { module: 4, entryPoint: 'main' };
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

describe('checkDescriptor', () => {
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

/** Each mistake in creating resources, bind groups and pipelines: its code, alone, and the record left out. */
import { describe, expect, it } from 'vitest';
import {
  type BindGroupEntry,
  BufferUsage,
  type GraphicsPipelineDescriptor,
  type TextureDescriptor,
  TextureUsage,
} from '../commands/descriptors.js';
import { attachmentBytes, formatInfo, vertexFormatBytes } from './formats.js';
import type { bindGroupMessages, creationMessages, pipelineMessages } from './messages.js';
import { type Slip, testCapabilities, ValidationBench } from './validation.test-support.js';

const { textureBinding, renderAttachment, storageBinding } = TextureUsage;

const texture =
  (more: Partial<TextureDescriptor>): Slip =>
  (bench) => {
    bench.texture('texture', more);
    return 'createTexture';
  };

/** Layouts with one entry each. */
const layout =
  (...entries: Omit<GPUBindGroupLayoutEntry, 'binding'>[]): Slip =>
  ({ rhi }) => {
    for (const entry of entries) {
      rhi.createBindGroupLayout({ label: 'layout', entries: [{ binding: 0, ...entry }] });
    }
    return 'createBindGroupLayout';
  };

const creationSlips: Record<
  Exclude<keyof typeof creationMessages, 'view-range' | 'view-format' | 'view-dimension'>,
  Slip
> = {
  'limit-exceeded': texture({ width: 8193 }),
  'feature-missing': texture({ format: 'bc1-rgba-unorm', usage: textureBinding }),
  'buffer-usage': (bench) => {
    bench.buffer('buffer', BufferUsage.mapRead | BufferUsage.vertex);
    return 'createBuffer';
  },
  'texture-usage': texture({ format: 'rgb9e5ufloat', usage: renderAttachment }),
  'texture-size': texture({ dimension: '1d', height: 2, usage: textureBinding }),
  'texture-dimension': texture({ format: 'depth32float', dimension: '3d', usage: textureBinding }),
  'texture-mips': texture({ mipLevelCount: 8 }),
  'texture-samples': texture({ sampleCount: 4, mipLevelCount: 2, usage: renderAttachment }),
  'view-formats': texture({ viewFormats: ['rgba8unorm-srgb', 'bgra8unorm'] }),
  'sampler-range': ({ rhi }) => {
    rhi.createSampler({ label: 'sampler', maxAnisotropy: 4 });
    return 'createSampler';
  },
  'layout-binding': ({ rhi }) => {
    const entry = { binding: 1, visibility: 1, buffer: {} };
    rhi.createBindGroupLayout({ label: 'layout', entries: [entry, entry] });
    return 'createBindGroupLayout';
  },
  'layout-entry': ({ rhi }) => {
    rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 1, buffer: {}, sampler: {} }],
    });
    return 'createBindGroupLayout';
  },
  'layout-visibility': ({ rhi }) => {
    const entry = { binding: 0, visibility: 1, buffer: { type: 'storage' } } as const;
    rhi.createBindGroupLayout({ label: 'layout', entries: [entry] });
    return 'createBindGroupLayout';
  },
  'layout-stages': layout({ visibility: 8, buffer: {} }),
  'layout-multisampled': layout({ visibility: 2, texture: { multisampled: true } }),
  'layout-storage-texture': layout({ visibility: 4, storageTexture: { format: 'rgba8unorm-srgb' } }),
};

/** A group of a layout with one entry. */
const group =
  (entry: object, makeEntry: (bench: ValidationBench) => object, command = 'createBindGroup'): Slip =>
  (bench) => {
    const layout = bench.rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 2, ...entry }],
    });
    const entries = [{ binding: 0, ...makeEntry(bench) } as BindGroupEntry];
    bench.rhi.createBindGroup({ label: 'group', layout, entries });
    return command;
  };

const view = (
  more: object,
  description: Partial<TextureDescriptor> = {},
  entry: object = { texture: {} },
): Slip => group(entry, (bench) => ({ view: { texture: bench.texture('texture', description), ...more } }));

const viewSlips: Record<'view-range' | 'view-format' | 'view-dimension', Slip> = {
  'view-range': view({ baseMipLevel: 1 }),
  'view-format': view({ format: 'rgba8unorm-srgb' }),
  'view-dimension': view({ dimension: 'cube', arrayLayerCount: 2 }, { depthOrArrayLayers: 6 }),
};

const dynamicOffset =
  (offsets: number[]): Slip =>
  (bench) => {
    const { group } = bench.scene();
    bench.inPass(() => bench.rhi.setBindGroup(0, group, offsets));
    return 'setBindGroup';
  };

const bindGroupSlips: Record<keyof typeof bindGroupMessages, Slip> = {
  'bind-group-entries': group({ binding: 3, sampler: {} }, (bench) => ({
    sampler: bench.rhi.createSampler({ label: 'sampler' }),
  })),
  'bind-group-kind': group({ buffer: {} }, (bench) => ({
    sampler: bench.rhi.createSampler({ label: 'sampler' }),
  })),
  'binding-size': group({ buffer: { minBindingSize: 512 } }, (bench) => ({
    buffer: bench.buffer('buffer', BufferUsage.uniform),
    byteLength: 508,
  })),
  'bind-group-texture': view({}, {}, { texture: { sampleType: 'uint' } }),
  'bind-group-sampler': group({ sampler: { type: 'comparison' } }, (bench) => ({
    sampler: bench.rhi.createSampler({ label: 'sampler' }),
  })),
  'bind-group-index': (bench) => {
    const scene = bench.scene();
    bench.inPass(() => bench.rhi.setBindGroup(4, scene.group, [0]));
    return 'setBindGroup';
  },
  'dynamic-offset-count': dynamicOffset([]),
  'dynamic-offset-alignment': dynamicOffset([128]),
  'dynamic-offset-range': dynamicOffset([1024]),
};

const pipeline =
  (more: Partial<GraphicsPipelineDescriptor>): Slip =>
  (bench) => {
    const scene = bench.scene();
    bench.run();
    scene.pipeline('second', more);
    return 'createGraphicsPipeline';
  };

/** A pipeline that is fine, in a pass it does not fit. */
const misfit =
  (more: Partial<GraphicsPipelineDescriptor>, isDepthReadOnly = false): Slip =>
  (bench) => {
    const second = bench.scene().pipeline('second', more);
    const depth = bench.texture('depth', { format: 'depth24plus', usage: renderAttachment });
    const depthStencilAttachment = { view: { texture: depth }, depthReadOnly: true };
    bench.inPass(
      () => bench.rhi.setGraphicsPipeline(second),
      isDepthReadOnly ? { depthStencilAttachment } : {},
    );
    return 'setGraphicsPipeline';
  };

/** Everything is set for a draw; `change` spoils it. */
const draw =
  (change: (bench: ValidationBench, scene: ReturnType<ValidationBench['scene']>) => void): Slip =>
  (bench) => {
    const scene = bench.scene();
    bench.inPass(() => {
      change(bench, scene);
      bench.rhi.drawIndexed(3);
      bench.rhi.drawIndexed(3);
    });
    return 'drawIndexed';
  };

const depth = { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' } as const;

const targets =
  (target: Partial<GPUColorTargetState>, multisample?: GPUMultisampleState): Slip =>
  (bench) => {
    const { module } = bench.scene();
    const fragment = { module, entryPoint: 'f', targets: [{ format: 'rgba8unorm' as const, ...target }] };
    return pipeline({ fragment, multisample })(bench);
  };

const pipelineSlips: Record<keyof typeof pipelineMessages, Slip> = {
  'pipeline-target-format': (bench) => {
    const { module } = bench.scene();
    const targets = [{ format: 'rgb9e5ufloat' }] as const;
    return pipeline({ fragment: { module, entryPoint: 'f', targets } })(bench);
  },
  'pipeline-blend': targets({ blend: { color: { operation: 'min', srcFactor: 'zero' }, alpha: {} } }),
  'pipeline-write-mask': targets({ writeMask: 31 }),
  'pipeline-alpha-to-coverage': targets({}, { alphaToCoverageEnabled: true }),
  'pipeline-depth-stencil': pipeline({ depthStencil: { ...depth, format: 'stencil8' } }),
  'pipeline-vertex-layout': (bench) => {
    const { module } = bench.scene();
    const attributes = [{ format: 'float32x4', offset: 4, shaderLocation: 0 }] as const;
    const buffers = [{ arrayStride: 16, attributes }] as unknown as GPUVertexBufferLayout[];
    return pipeline({ vertex: { module, entryPoint: 'v', buffers } })(bench);
  },
  'pipeline-strip-format': pipeline({ primitive: { stripIndexFormat: 'uint16' } }),
  'pipeline-samples': pipeline({ multisample: { count: 2 } }),
  'pipeline-without-output': pipeline({ fragment: undefined }),
  'pipeline-missing': draw(() => {}),
  'pipeline-color-formats': (bench) => {
    const { module } = bench.scene();
    const targets = [{ format: 'bgra8unorm' }] as const;
    return misfit({ fragment: { module, entryPoint: 'f', targets } })(bench);
  },
  'pipeline-depth-format': misfit({ depthStencil: depth }),
  'pipeline-sample-count': misfit({ multisample: { count: 4 } }),
  'pipeline-writes-read-only': misfit({ depthStencil: depth }, true),
  'vertex-buffer-slot': (bench) => {
    const { vertices } = bench.scene();
    bench.inPass(() => bench.rhi.setVertexBuffer(8, vertices, 0, 16));
    return 'setVertexBuffer';
  },
  'vertex-buffer-missing': draw(({ rhi }, { main, group }) => {
    rhi.setGraphicsPipeline(main);
    rhi.setBindGroup(0, group, [0]);
  }),
  'index-buffer-missing': draw(({ rhi }, { main, group, vertices }) => {
    rhi.setGraphicsPipeline(main);
    rhi.setBindGroup(0, group, [0]);
    rhi.setVertexBuffer(0, vertices, 0, 64);
  }),
  'index-format': (bench) => {
    const scene = bench.scene();
    const strip = scene.pipeline('strip', {
      primitive: { topology: 'triangle-strip', stripIndexFormat: 'uint32' },
    });
    bench.inPass(() => {
      scene.set();
      bench.rhi.setGraphicsPipeline(strip);
      bench.rhi.drawIndexed(3);
    });
    return 'drawIndexed';
  },
  'bind-group-missing': draw(({ rhi }, { main, vertices }) => {
    rhi.setGraphicsPipeline(main);
    rhi.setVertexBuffer(0, vertices, 0, 64);
  }),
  'bind-group-layout': (bench) => {
    const other = bench.rhi.createBindGroupLayout({ label: 'other', entries: [] });
    const group = bench.rhi.createBindGroup({ label: 'other group', layout: other, entries: [] });
    return draw(({ rhi }, { set }) => {
      set();
      rhi.setBindGroup(0, group);
    })(bench);
  },
};

describe('validation: each slip in a descriptor, or in what a draw needs, is its own error', () => {
  it.each(Object.entries({ ...creationSlips, ...viewSlips, ...bindGroupSlips, ...pipelineSlips }))(
    '%s',
    (code, slip) => {
      const bench = new ValidationBench();
      const refused = slip(bench);
      const { codes, passed } = bench.run();
      expect(codes).toEqual([code]);
      expect(passed).not.toContain(refused);
    },
  );
});

describe('validation: groups fit pipelines by what their layouts say', () => {
  it('takes a group of another layout object with the same entries, in other words', () => {
    const bench = new ValidationBench();
    const { uniforms, set } = bench.scene();
    const layout = bench.rhi.createBindGroupLayout({
      label: 'twin',
      entries: [
        { binding: 0, visibility: 1, buffer: { type: 'uniform', hasDynamicOffset: true, minBindingSize: 0 } },
      ],
    });
    const entries = [{ binding: 0, buffer: uniforms, byteLength: 256 }];
    const twin = bench.rhi.createBindGroup({ label: 'twin group', layout, entries });
    bench.inPass(() => {
      set();
      bench.rhi.setBindGroup(0, twin, [0]);
      bench.rhi.drawIndexed(3);
    });
    const { codes, passed } = bench.run();
    expect(codes).toEqual([]);
    expect(passed).toContain('drawIndexed');
  });

  it('forgets state with the pass, and with invalidateCachedState, as executors do', () => {
    const bench = new ValidationBench();
    const { set } = bench.scene();
    const target = bench.texture('target');
    bench.frame(1, () => {
      for (const isSet of [true, false]) {
        bench.rhi.beginRenderPass(bench.pass(target));
        if (isSet) set();
        bench.rhi.draw(3);
        bench.rhi.invalidateCachedState();
        bench.rhi.draw(3);
        bench.rhi.endRenderPass();
      }
    });
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['pipeline-missing']);
    expect(passed.filter((name) => name === 'draw')).toHaveLength(1);
    expect(bench.skipped).toBe(3);
  });
});

/** A pipeline whose layouts have so many uniform buffers. */
const uniforms =
  (counts: number[], hasDynamicOffset = false): Slip =>
  ({ rhi }) => {
    const bindGroupLayouts = counts.map((count) =>
      rhi.createBindGroupLayout({
        label: 'layout',
        entries: Array.from({ length: count }, (_, binding) => ({
          binding,
          visibility: hasDynamicOffset ? 1 << (binding % 3) : 2,
          buffer: { hasDynamicOffset },
        })),
      }),
    );
    const module = rhi.createShaderModule({ label: 'shader', code: '' });
    rhi.createComputePipeline({ label: 'pipeline', bindGroupLayouts, compute: { module, entryPoint: 'c' } });
    return undefined;
  };

describe('validation: features and limits come from the capabilities', () => {
  it.each([
    ['without them everything a device may have is allowed', undefined, []],
    ['a feature that is there is allowed', { ...testCapabilities, features: ['texture-compression-bc'] }, []],
    [
      'a lower limit holds',
      { ...testCapabilities, limits: { maxTextureDimension2D: 32 } },
      ['limit-exceeded'],
    ],
  ])('%s', (_, capabilities, codes) => {
    const bench = new ValidationBench({ capabilities });
    bench.texture('texture', { format: 'bc7-rgba-unorm', usage: textureBinding });
    expect(bench.run().codes).toEqual(codes);
  });

  it.each<[string, Omit<GPUBindGroupLayoutEntry, 'binding'>, string[]]>([
    ['rgba8unorm is written', { visibility: 4, storageTexture: { format: 'rgba8unorm' } }, []],
    [
      'but not read and written at once',
      { visibility: 4, storageTexture: { format: 'rgba8unorm', access: 'read-write' } },
      ['layout-storage-texture'],
    ],
    ['r32uint is', { visibility: 4, storageTexture: { format: 'r32uint', access: 'read-write' } }, []],
    [
      'no cube is storage',
      { visibility: 4, storageTexture: { format: 'r32uint', viewDimension: 'cube' } },
      ['layout-storage-texture'],
    ],
    [
      'rg16float is none',
      { visibility: 4, storageTexture: { format: 'rg16float' } },
      ['layout-storage-texture'],
    ],
    [
      'nor bgra8unorm',
      { visibility: 4, storageTexture: { format: 'bgra8unorm' } },
      ['layout-storage-texture'],
    ],
    [
      'samples are of 2d textures',
      { visibility: 2, texture: { multisampled: true, sampleType: 'depth', viewDimension: '3d' } },
      ['layout-multisampled'],
    ],
    ['and of depth', { visibility: 2, texture: { multisampled: true, sampleType: 'depth' } }, []],
    ['all stages may see it', { visibility: 7, texture: {} }, []],
  ])('layouts: %s', (_, entry, codes) => {
    const bench = new ValidationBench();
    layout(entry)(bench);
    expect(bench.run().codes).toEqual(codes);
  });

  it.each([
    ['bgra8unorm-storage', 'bgra8unorm', 'write-only', []],
    ['bgra8unorm-storage', 'bgra8unorm', 'read-only', ['layout-storage-texture']],
    ['texture-formats-tier1', 'rg16float', 'read-only', []],
    ['texture-formats-tier1', 'rg16float', 'read-write', ['layout-storage-texture']],
    ['texture-formats-tier2', 'rgba8unorm', 'read-write', []],
    ['texture-formats-tier1', 'rgba8unorm-srgb', 'write-only', ['layout-storage-texture']],
  ] as const)('with %s, %s as %s storage', (feature, format, access, codes) => {
    const bench = new ValidationBench({ capabilities: { ...testCapabilities, features: [feature] } });
    layout({ visibility: 4, storageTexture: { format, access } })(bench);
    expect(bench.run().codes).toEqual(codes);
  });

  it('a pipeline and a pass have so many bytes of colour per sample', () => {
    const bench = new ValidationBench();
    const targets = Array(3).fill({ format: 'rgba32float', writeMask: 0 });
    const { module, pipeline } = bench.scene();
    pipeline('second', { fragment: { module, entryPoint: 'f', targets } });
    expect(bench.run().codes).toEqual(['limit-exceeded']);
    const colorAttachments = [1, 2, 3].map((i) => ({
      view: { texture: bench.texture(`target ${i}`, { format: 'rgba32float' }) },
      loadOp: 'clear' as const,
      storeOp: 'store' as const,
    }));
    bench.inPass(() => {}, { colorAttachments });
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['limit-exceeded']);
    expect(passed).not.toContain('beginRenderPass');
  });

  it('a depth clip that is off needs a feature', () => {
    const bench = new ValidationBench();
    pipeline({ primitive: { unclippedDepth: true } })(bench);
    expect(bench.run().codes).toEqual(['feature-missing']);
  });

  it.each<[string, Slip, string[]]>([
    ['12 uniform buffers', uniforms([12]), []],
    ['13 uniform buffers', uniforms([13]), ['limit-exceeded']],
    ['7 and 6 of two layouts of a pipeline', uniforms([7, 6]), ['limit-exceeded']],
    ['7 and 5', uniforms([7, 5]), []],
    ['9 dynamic ones, in three stages', uniforms([9], true), ['limit-exceeded']],
  ])('stages see so many: %s', (_, slip, codes) => {
    const bench = new ValidationBench();
    slip(bench);
    expect(bench.run().codes).toEqual(codes);
  });

  it('attributes have the locations that the device has', () => {
    const bench = new ValidationBench();
    const { module } = bench.scene();
    const attributes = [{ format: 'float32', offset: 0, shaderLocation: 16 }] as const;
    const buffers = [{ arrayStride: 4, attributes: [...attributes] }];
    pipeline({ vertex: { module, entryPoint: 'v', buffers } })(bench);
    expect(bench.errors.map(({ code }) => code)).toEqual([]);
    expect(bench.run().codes).toEqual(['pipeline-vertex-layout']);
  });

  it.each<[string, Slip, string[]]>([
    ['alpha into coverage', targets({}, { count: 4, alphaToCoverageEnabled: true }), []],
    [
      'a format without alpha',
      targets({ format: 'r8unorm' }, { count: 4, alphaToCoverageEnabled: true }),
      ['pipeline-alpha-to-coverage'],
    ],
    [
      'max of both',
      targets({ blend: { color: { operation: 'max', srcFactor: 'one', dstFactor: 'one' }, alpha: {} } }),
      [],
    ],
    [
      'max of both, but by the default factors',
      targets({ blend: { color: {}, alpha: { operation: 'max' } } }),
      ['pipeline-blend'],
    ],
    ['a second source', targets({ blend: { color: { srcFactor: 'src1' }, alpha: {} } }), ['feature-missing']],
    ['no channel', targets({ writeMask: 0 }), []],
  ])('targets: %s', (_, slip, codes) => {
    const bench = new ValidationBench();
    slip(bench);
    expect(bench.run().codes).toEqual(codes);
  });

  it.each<[string, Partial<TextureDescriptor>, string[]]>([
    ['blocks in 3d', { format: 'bc1-rgba-unorm', dimension: '3d' }, ['texture-dimension']],
    ['samples of r32uint', { format: 'r32uint', sampleCount: 4 }, ['texture-samples']],
    ['samples of r32float', { format: 'r32float', sampleCount: 4 }, []],
  ])('textures: %s', (_, descriptor, codes) => {
    const features = ['texture-compression-bc'];
    const bench = new ValidationBench({ capabilities: { ...testCapabilities, features } });
    const usage = descriptor.sampleCount ? renderAttachment : textureBinding;
    bench.texture('texture', { ...descriptor, usage });
    expect(bench.run().codes).toEqual(codes);
  });

  it('a storage texture needs a format that can be one', () => {
    const bench = new ValidationBench();
    bench.texture('good', { format: 'r32float', usage: storageBinding });
    bench.texture('bad', { format: 'r16float', usage: storageBinding });
    expect(bench.run()).toEqual({ codes: ['texture-usage'], passed: ['createTexture'] });
  });
});

describe('formats', () => {
  it.each([
    ['float32x3', 12],
    ['uint8', 1],
    ['unorm8x4', 4],
    ['unorm8x4-bgra', 4],
    ['sint16x2', 4],
    ['float16', 2],
    ['unorm10-10-10-2', 4],
  ])('vertex format %s has %i bytes', (format, bytes) => {
    expect(vertexFormatBytes(format)).toBe(bytes);
  });

  it.each([
    ['rgba8unorm', 4, 1],
    ['r32float', 4, 1],
    ['rgba32uint', 16, 1],
    ['depth16unorm', 2, 1],
    ['bc1-rgba-unorm', 8, 4],
    ['astc-12x10-unorm-srgb', 16, 12],
  ])('texture format %s has blocks of %i bytes, %i texels wide', (format, bytes, width) => {
    expect(formatInfo(format)).toMatchObject({ blockBytes: bytes, blockWidth: width });
  });

  it.each([
    [['rgba8unorm', 'rgba8unorm', 'bgra8unorm-srgb', 'rgba8unorm'], 32],
    [['rgba8uint', 'r8unorm', 'r32float', 'rg16float'], 16],
    [['r8unorm', 'rgba32float'], 20],
    [['', 'rgb10a2unorm', 'rg11b10ufloat', 'rgba128float'], 16],
  ])('attachments of %j have %i bytes per sample', (formats, bytes) => {
    expect(attachmentBytes(formats)).toBe(bytes);
  });

  it('knows nothing of a format that is newer', () => {
    expect(formatInfo('rgba128float')).toBeUndefined();
  });
});

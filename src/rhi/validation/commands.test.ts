/** Each mistake in draws, queries, attachments, usages, copies and writes: its code, alone, and the record left out. */
import { describe, expect, it } from 'vitest';
import {
  BufferUsage,
  type DepthStencilAttachment,
  type RenderPassDescriptor,
  type TextureDescriptor,
  type TextureHandle,
  type TextureRegion,
  TextureUsage,
} from '../commands/descriptors.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { elementCount } from './bound-buffers.js';
import type { attachmentMessages, drawMessages, transferMessages } from './messages.js';
import { type Slip, ValidationBench } from './validation.test-support.js';

const { copySource, copyTarget, storage, indirect } = BufferUsage;
const { renderAttachment } = TextureUsage;

/** What `record` does in a pass where a draw has all it needs. */
const inScene =
  (
    command: string | undefined,
    record: (bench: ValidationBench) => void,
    more: Partial<RenderPassDescriptor> = {},
  ): Slip =>
  (bench) => {
    const { set } = bench.scene();
    bench.inPass(() => {
      set();
      record(bench);
    }, more);
    return command;
  };

const inQueryPass =
  (
    command: string | undefined,
    record: (bench: ValidationBench) => void,
    type: GPUQueryType = 'occlusion',
  ): Slip =>
  (bench) => {
    const occlusionQuerySet = bench.rhi.createQuerySet({ label: 'queries', type, count: 2 });
    bench.inPass(() => record(bench), { occlusionQuerySet });
    return command;
  };

/** Another bench, whose errors come to the first. */
const withAllFeatures = (bench: ValidationBench) =>
  new ValidationBench({ capabilities: undefined, onError: (error) => bench.errors.push(error) });

const drawSlips: Record<keyof typeof drawMessages, Slip> = {
  'vertex-range': inScene('draw', ({ rhi }) => rhi.draw(15, 1, 2)),
  'instance-range': (bench) => {
    const { module, pipeline, set, vertices } = bench.scene();
    const attributes = [{ format: 'float32', offset: 0, shaderLocation: 0 }] as const;
    const instanced = pipeline('instanced', {
      vertex: {
        module,
        entryPoint: 'v',
        buffers: [{ arrayStride: 4, stepMode: 'instance', attributes: [...attributes] }],
      },
    });
    bench.inPass(() => {
      set();
      bench.rhi.setGraphicsPipeline(instanced);
      bench.rhi.setVertexBuffer(0, vertices, 0, 16);
      bench.rhi.draw(3, 5);
    });
    return 'draw';
  },
  'index-range': inScene('drawIndexed', ({ rhi }) => rhi.drawIndexed(64, 1, 1)),
  'draw-count': inScene('drawIndexed', ({ rhi }) => rhi.drawIndexed(-1)),
  'dispatch-size': (bench) => {
    const { pipeline, group, written, read } = bench.compute();
    const bindGroup = group('group', written, read);
    bench.inComputePass(() => {
      bench.rhi.setComputePipeline(pipeline);
      bench.rhi.setBindGroup(0, bindGroup);
      bench.rhi.dispatch(1, 65536);
    });
    return 'dispatch';
  },
  'viewport-rect': inScene('setViewport', ({ rhi }) => rhi.setViewport(0, 0, 8, 8, 0.5, 0.25)),
  'scissor-rect': inScene('setScissorRect', ({ rhi }) => rhi.setScissorRect(32, 0, 33, 1)),
  'query-not-begun': inQueryPass('endOcclusionQuery', ({ rhi }) => rhi.endOcclusionQuery()),
  'query-not-ended': inQueryPass(undefined, ({ rhi }) => rhi.beginOcclusionQuery(0)),
  'query-without-set': inScene('beginOcclusionQuery', ({ rhi }) => rhi.beginOcclusionQuery(0)),
  'query-range': inQueryPass('beginOcclusionQuery', ({ rhi }) => rhi.beginOcclusionQuery(2)),
  'query-repeated': inQueryPass(undefined, ({ rhi }) => {
    for (let i = 0; i < 2; i++) {
      rhi.beginOcclusionQuery(1);
      if (i === 0) rhi.endOcclusionQuery();
    }
  }),
  'query-set-type': (bench) => {
    const querySet = bench.rhi.createQuerySet({ label: 'queries', type: 'occlusion', count: 2 });
    bench.inPass(() => {}, { timestampWrites: { querySet, endOfPassWriteIndex: 0 } });
    return 'beginRenderPass';
  },
  'timestamp-indices': (bench) => {
    const own = withAllFeatures(bench);
    const querySet = own.rhi.createQuerySet({ label: 'queries', type: 'timestamp', count: 2 });
    own.inPass(() => {}, { timestampWrites: { querySet } });
    expect(own.run().passed).not.toContain('beginRenderPass');
    return undefined;
  },
};

const color = (bench: ValidationBench, label: string, more: Partial<TextureDescriptor> = {}) =>
  ({ view: { texture: bench.texture(label, more) }, loadOp: 'clear', storeOp: 'store' }) as const;

const pass =
  (descriptor: (bench: ValidationBench) => Partial<RenderPassDescriptor>): Slip =>
  (bench) => {
    const more = descriptor(bench);
    bench.inPass(() => bench.rhi.draw(1), more);
    return 'beginRenderPass';
  };

const depth = (bench: ValidationBench, more: Partial<DepthStencilAttachment>): DepthStencilAttachment => ({
  view: { texture: bench.texture('depth', { format: 'depth24plus', usage: renderAttachment }) },
  ...more,
});

const attachmentSlips: Record<keyof typeof attachmentMessages, Slip> = {
  'pass-without-attachments': pass(() => ({ colorAttachments: [null] })),
  'attachment-format': pass((bench) => ({
    colorAttachments: [color(bench, 'depth', { format: 'depth24plus', usage: renderAttachment })],
  })),
  'attachment-view': pass((bench) => ({ colorAttachments: [color(bench, 'mips', { mipLevelCount: 2 })] })),
  'attachment-slice': pass((bench) => ({
    colorAttachments: [color(bench, 'volume', { dimension: '3d', depthOrArrayLayers: 4 })],
  })),
  'attachment-size': pass((bench) => ({
    colorAttachments: [color(bench, 'first'), color(bench, 'second', { width: 32 })],
  })),
  'attachment-samples': pass((bench) => ({
    colorAttachments: [
      color(bench, 'first'),
      color(bench, 'second', { sampleCount: 4, usage: renderAttachment }),
    ],
  })),
  'attachment-operations': pass((bench) => ({
    depthStencilAttachment: depth(bench, { depthReadOnly: true, depthLoadOp: 'load', depthStoreOp: 'store' }),
  })),
  'attachment-repeated': pass((bench) => {
    const attachment = color(bench, 'twice');
    return { colorAttachments: [attachment, attachment] };
  }),
  'resolve-target': pass((bench) => ({
    colorAttachments: [{ ...color(bench, 'source'), resolveTarget: { texture: bench.texture('resolved') } }],
  })),
};

/** A copy from a buffer to a texture. */
const upload =
  (region: Partial<TextureRegion>, more: Partial<TextureDescriptor> = {}): Slip =>
  (bench) => {
    const source = bench.buffer('source', copySource, 65536);
    const target = bench.texture('texture', more);
    bench.rhi.copyBufferToTexture(source, target, {
      width: 64,
      height: 64,
      bytesPerRow: 256,
      ...region,
    });
    return 'copyBufferToTexture';
  };

/** A copy between two textures. */
const copy =
  (
    from: Partial<TextureDescriptor>,
    to: Partial<TextureDescriptor>,
    region: Partial<TextureRegion> = {},
  ): Slip =>
  (bench) => {
    const source = bench.texture('source', from);
    bench.rhi.copyTextureToTexture(source, bench.texture('target', to), { width: 64, height: 64, ...region });
    return 'copyTextureToTexture';
  };

const depthUsage = TextureUsage.copySource | TextureUsage.copyTarget | renderAttachment;

const transferSlips: Record<keyof typeof transferMessages, Slip> = {
  'usage-missing': (bench) => {
    bench.rhi.clearBuffer(bench.buffer('buffer', copySource), 0, 4);
    return 'clearBuffer';
  },
  'usage-conflict': (bench) => {
    const layout = bench.rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 2, texture: {} }],
    });
    const texture = bench.texture('feedback');
    const entries = [{ binding: 0, view: { texture } }];
    const group = bench.rhi.createBindGroup({ label: 'group', layout, entries });
    const attachment = { view: { texture }, loadOp: 'clear', storeOp: 'store' } as const;
    bench.inPass(() => bench.rhi.setBindGroup(0, group), { colorAttachments: [attachment] });
    return 'setBindGroup';
  },
  'buffer-range': (bench) => {
    bench.rhi.clearBuffer(bench.buffer('buffer', copyTarget, 16), 8, 12);
    return 'clearBuffer';
  },
  'buffer-alignment': (bench) => {
    bench.rhi.clearBuffer(bench.buffer('buffer', copyTarget, 16), 2, 4);
    return 'clearBuffer';
  },
  'copy-same-buffer': (bench) => {
    const buffer = bench.buffer('buffer', copySource | copyTarget);
    bench.rhi.copyBufferToBuffer(buffer, 0, buffer, 512, 4);
    return 'copyBufferToBuffer';
  },
  'copy-overlap': (bench) => {
    const texture = bench.texture('texture');
    bench.rhi.copyTextureToTexture(texture, texture, { width: 1, height: 1, origin: [8, 0, 0] });
    return 'copyTextureToTexture';
  },
  'copy-formats': copy({}, { format: 'bgra8unorm' }),
  'copy-aspect': upload({}, { format: 'depth32float', usage: depthUsage }),
  'copy-samples': copy({ sampleCount: 4, usage: depthUsage }, {}),
  'copy-whole': copy(
    { format: 'depth24plus', usage: depthUsage },
    { format: 'depth24plus', usage: depthUsage },
    { width: 32 },
  ),
  'image-format': (bench) => {
    const target = bench.texture('target', { format: 'rgba8uint' });
    const image = { width: 1, height: 1, close: () => {} } as unknown as ImageBitmap;
    bench.rhi.copyExternalImage(image, target, { width: 1, height: 1 });
    return 'copyExternalImage';
  },
  'texture-region': upload({ origin: [1, 0, 0] }),
  'texture-block': (bench) => {
    const own = withAllFeatures(bench);
    const usage = TextureUsage.copyTarget;
    own.rhi.writeTexture(
      own.texture('blocks', { format: 'bc1-rgba-unorm', usage }),
      { width: 2, height: 4, bytesPerRow: 8 },
      new Uint8Array(8),
    );
    expect(own.run().passed).toEqual(['createTexture']);
    return undefined;
  },
  'texture-rows': upload({ bytesPerRow: undefined }),
  'texture-data-size': (bench) => {
    const region = { width: 2, height: 2, bytesPerRow: 8 };
    bench.rhi.writeTexture(bench.texture('texture'), region, new Uint8Array(15));
    return 'writeTexture';
  },
  'texture-clear': (bench) => {
    bench.rhi.clearTexture(bench.texture('texture'), { depth: 2 });
    return 'clearTexture';
  },
};

describe('validation: each slip in a command is its own error, and is left out', () => {
  it.each(Object.entries({ ...drawSlips, ...attachmentSlips, ...transferSlips }))('%s', (code, slip) => {
    const bench = new ValidationBench();
    const refused = slip(bench);
    const { codes, passed } = bench.run();
    expect(codes).toEqual([code]);
    if (refused !== undefined) expect(passed).not.toContain(refused);
  });
});

describe('validation: the last that fits, and the first that does not', () => {
  const drawn = (record: (bench: ValidationBench) => void) => {
    const bench = new ValidationBench();
    inScene(undefined, record)(bench);
    const { codes, passed } = bench.run();
    return [passed.filter((name) => name.startsWith('draw')).length, ...codes];
  };

  it('draws 16 vertices of 16 bytes from 256, the last one short of its padding', () => {
    expect(drawn(({ rhi }) => rhi.draw(16))).toEqual([1]);
    expect(drawn(({ rhi }) => rhi.draw(17))).toEqual([0, 'vertex-range']);
    // 12 bytes of the 17th vertex are all it has.
    expect(
      drawn((bench) => {
        bench.rhi.setVertexBuffer(0, bench.buffer('longer', BufferUsage.vertex), 0, 268);
        bench.rhi.draw(17);
      }),
    ).toEqual([1]);
    expect(drawn(({ rhi }) => rhi.draw(0, 1, 99))).toEqual([1]);
  });

  it.each([
    [0, 12, 16, 0],
    [12, 16, 12, 1],
    [27, 16, 12, 1],
    [28, 16, 12, 2],
    [12, 0, 12, Number.POSITIVE_INFINITY],
    [11, 0, 12, 0],
  ])(
    '%i bytes at a stride of %i, of which the last needs %i, are %s elements',
    (bytes, stride, last, count) => {
      expect(elementCount(bytes, stride, last)).toBe(count);
    },
  );

  it('takes no count for a negative one, whatever the pipeline reads', () => {
    const unread = (record: (bench: ValidationBench) => void) => {
      const bench = new ValidationBench();
      const { module, pipeline, group, vertices } = bench.scene();
      const bare = pipeline('bare', { vertex: { module, entryPoint: 'v' } });
      bench.inPass(() => {
        bench.rhi.setGraphicsPipeline(bare);
        bench.rhi.setBindGroup(0, group, [0]);
        bench.rhi.setIndexBuffer(vertices, 'uint16', 0, 256);
        record(bench);
      });
      return bench.run().codes;
    };
    expect(unread(({ rhi }) => rhi.draw(2 ** 31 - 1))).toEqual([]);
    for (const [count, instances, first, firstInstance] of [[-1], [3, -1], [3, 1, -1], [3, 1, 0, -2]] as [
      number,
      ...number[],
    ][]) {
      expect(unread(({ rhi }) => rhi.draw(count, instances, first, firstInstance))).toEqual(['draw-count']);
    }
    expect(unread(({ rhi }) => rhi.drawIndexed(-3))).toEqual(['draw-count']);
    expect(unread(({ rhi }) => rhi.drawIndexed(3, -1))).toEqual(['draw-count']);
    expect(unread(({ rhi }) => rhi.drawIndexed(3, 1, 0, -1))).toEqual([]);
  });

  it('draws 64 indices of 16 bits from 128 bytes', () => {
    expect(drawn(({ rhi }) => rhi.drawIndexed(3, 1, 61))).toEqual([1]);
    expect(drawn(({ rhi }) => rhi.drawIndexed(3, 1, 62))).toEqual([0, 'index-range']);
  });

  it('reads 16 bytes of arguments for a draw, 20 for an indexed one', () => {
    const indirectDraw = (byteOffset: number, isIndexed: boolean) =>
      drawn((bench) => {
        const buffer = bench.buffer('arguments', indirect, 64);
        if (isIndexed) bench.rhi.drawIndexedIndirect(buffer, byteOffset);
        else bench.rhi.drawIndirect(buffer, byteOffset);
      });
    expect(indirectDraw(48, false)).toEqual([1]);
    expect(indirectDraw(52, false)).toEqual([0, 'buffer-range']);
    expect(indirectDraw(44, true)).toEqual([1]);
    expect(indirectDraw(48, true)).toEqual([0, 'buffer-range']);
    expect(indirectDraw(46, false)).toEqual([0, 'buffer-alignment']);
  });

  it('needs 15,616 bytes + one row for a copy of 62 rows at 256', () => {
    const copied = (byteOffset: number) => {
      const bench = new ValidationBench();
      const source = bench.buffer('source', copySource, 16384);
      const region = { width: 64, height: 62, bytesPerRow: 256, byteOffset };
      bench.rhi.copyBufferToTexture(source, bench.texture('target'), region);
      return bench.run().codes;
    };
    expect(copied(512)).toEqual([]);
    expect(copied(516)).toEqual(['buffer-range']);
    expect(copied(2)).toEqual(['buffer-alignment']);
  });
});

describe('validation: what a pass draws into', () => {
  const volume = { dimension: '3d', depthOrArrayLayers: 4, mipLevelCount: 2 } as const;
  const drawInto = (
    attachments: { slice?: number; mip?: number; texture?: Partial<TextureDescriptor> }[],
  ) => {
    const bench = new ValidationBench();
    const texture = bench.texture('volume', volume);
    bench.inPass(() => {}, {
      colorAttachments: attachments.map(({ slice, mip = 0, texture: own }) => ({
        view: {
          texture: own ? bench.texture('own', own) : texture,
          baseMipLevel: mip,
          mipLevelCount: 1,
        },
        depthSlice: slice,
        loadOp: 'clear',
        storeOp: 'store',
      })),
    });
    return bench.run().codes;
  };

  it.each<[string, Parameters<typeof drawInto>[0], string[]]>([
    ['the last slice', [{ slice: 3 }], []],
    ['one behind it', [{ slice: 4 }], ['attachment-slice']],
    ['the last of a lower level', [{ slice: 1, mip: 1 }], []],
    ['one behind that', [{ slice: 2, mip: 1 }], ['attachment-slice']],
    ['none', [{}], ['attachment-slice']],
    ['two slices at once', [{ slice: 0 }, { slice: 2 }], []],
    ['one slice twice', [{ slice: 2 }, { slice: 2 }], ['attachment-repeated']],
    ['a slice of what is flat', [{ slice: 0, texture: {} }], ['attachment-slice']],
  ])('3d textures: %s', (_, attachments, codes) => {
    expect(drawInto(attachments)).toEqual(codes);
  });

  it('a clear value that JSON has no words for', () => {
    const bench = new ValidationBench();
    const trusting = new ImmediateContext(bench.writer, { maxFramesInFlight: 2 });
    const attachment = { ...color(bench, 'target'), clearValue: [Number.NaN, 0, 0, 1] as const };
    bench.frame(1, () => {
      trusting.beginRenderPass({ label: 'pass', colorAttachments: [attachment] });
      trusting.endRenderPass();
    });
    expect(bench.run().codes).toEqual(['attachment-operations']);
  });

  it.each([
    ['both the same', { beginningOfPassWriteIndex: 1, endOfPassWriteIndex: 1 }, ['timestamp-indices']],
    ['one alone', { endOfPassWriteIndex: 0 }, []],
    ['two', { beginningOfPassWriteIndex: 1, endOfPassWriteIndex: 0 }, []],
  ])('timestamps: %s', (_, indices, codes) => {
    const bench = new ValidationBench({ capabilities: undefined });
    const querySet = bench.rhi.createQuerySet({ label: 'queries', type: 'timestamp', count: 2 });
    bench.inPass(() => {}, { timestampWrites: { querySet, ...indices } });
    expect(bench.run().codes).toEqual(codes);
  });
});

describe('validation: depth is copied by whole levels, with buffers too', () => {
  const depth = { format: 'depth16unorm', usage: depthUsage } as const;
  it.each<[string, (bench: ValidationBench, texture: TextureHandle, width: number) => void]>([
    [
      'copyTextureToBuffer',
      ({ rhi }, texture, width) => {
        const target = rhi.createBuffer({ label: 'b', byteLength: 65536, usage: copyTarget });
        rhi.copyTextureToBuffer(texture, target, { width, height: 64, bytesPerRow: 256 });
      },
    ],
    [
      'copyBufferToTexture',
      ({ rhi }, texture, width) => {
        const source = rhi.createBuffer({ label: 'b', byteLength: 65536, usage: copySource });
        rhi.copyBufferToTexture(source, texture, { width, height: 64, bytesPerRow: 256 });
      },
    ],
    [
      'writeTexture',
      ({ rhi }, texture, width) =>
        rhi.writeTexture(texture, { width, height: 64, bytesPerRow: 128 }, new Uint8Array(8192)),
    ],
  ])('%s', (command, record) => {
    const bench = new ValidationBench();
    const texture = bench.texture('depth', depth);
    record(bench, texture, 64);
    expect(bench.run()).toMatchObject({ codes: [], passed: expect.arrayContaining([command]) });
    record(bench, texture, 32);
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['copy-whole']);
    expect(passed).not.toContain(command);
  });
});

describe('validation: usage scopes', () => {
  it('a render pass is one scope: a buffer written as storage is nothing else in it', () => {
    const bench = new ValidationBench();
    const layout = bench.rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 2, buffer: { type: 'storage' } }],
    });
    const buffer = bench.buffer('buffer', storage | BufferUsage.vertex);
    const group = bench.rhi.createBindGroup({ label: 'group', layout, entries: [{ binding: 0, buffer }] });
    const target = bench.texture('target');
    bench.frame(1, () => {
      for (const uses of ['both', 'one', 'one']) {
        bench.rhi.beginRenderPass(bench.pass(target));
        bench.rhi.setBindGroup(0, group);
        if (uses === 'both') bench.rhi.setVertexBuffer(0, buffer, 0, 16);
        bench.rhi.endRenderPass();
      }
    });
    expect(bench.run().codes).toEqual(['usage-conflict']);
  });

  it('each dispatch is a scope: written by one, read by the next', () => {
    const bench = new ValidationBench();
    const { pipeline, group, written, read } = bench.compute();
    const [there, back] = [group('there', written, read), group('back', read, written)];
    bench.inComputePass(() => {
      bench.rhi.setComputePipeline(pipeline);
      for (const bindGroup of [there, back]) {
        bench.rhi.setBindGroup(0, bindGroup);
        bench.rhi.dispatch(1);
      }
    });
    expect(bench.run().codes).toEqual([]);
    const both = group('both', written, written);
    bench.frame(2, () => {
      bench.rhi.beginComputePass({ label: 'compute' });
      bench.rhi.setComputePipeline(pipeline);
      bench.rhi.setBindGroup(0, both);
      bench.rhi.dispatch(1);
      bench.rhi.endComputePass();
    });
    const { codes, passed } = bench.run();
    expect(codes).toEqual(['usage-conflict']);
    expect(passed).not.toContain('dispatch');
  });

  it('depth that is read-only may be sampled in its pass', () => {
    const bench = new ValidationBench();
    const texture = bench.texture('depth', {
      format: 'depth24plus',
      usage: renderAttachment | TextureUsage.textureBinding,
    });
    const layout = bench.rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 2, texture: { sampleType: 'depth' } }],
    });
    const group = bench.rhi.createBindGroup({
      label: 'g',
      layout,
      entries: [{ binding: 0, view: { texture } }],
    });
    bench.inPass(() => bench.rhi.setBindGroup(0, group), {
      depthStencilAttachment: { view: { texture }, depthReadOnly: true },
    });
    expect(bench.run().codes).toEqual([]);
  });

  it('one mip level may be drawn from another', () => {
    const bench = new ValidationBench();
    const texture = bench.texture('mips', { mipLevelCount: 2 });
    const layout = bench.rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 2, texture: {} }],
    });
    const view = { texture, mipLevelCount: 1 };
    const group = bench.rhi.createBindGroup({ label: 'g', layout, entries: [{ binding: 0, view }] });
    bench.inPass(() => bench.rhi.setBindGroup(0, group), {
      colorAttachments: [{ view: { texture, baseMipLevel: 1 }, loadOp: 'load', storeOp: 'store' }],
    });
    expect(bench.run().codes).toEqual([]);
  });
});

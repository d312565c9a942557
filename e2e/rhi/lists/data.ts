/** Data transfers: writes, reads, copies, clears of buffers, and resources that are created and destroyed. */
import { BufferUsage, destroyNow, TextureUsage } from 'fencepost/rhi';
import { type CommandList, quarters, repeated } from './list.js';

const counting = (count: number, from = 0): Uint8Array =>
  Uint8Array.from({ length: count }, (_, i) => from + i);
/** A 4 × 4 picture with ascending bytes. */
const picture = [...counting(64)];

export const data: readonly CommandList[] = [
  {
    commands: ['createBuffer', 'writeBuffer', 'writeBufferFromAttachment', 'readBuffer'],
    expected: { bytes: [0, 0, 0, 0, 1, 2, 3, 4, 22, 23, 24, 25, 0, 0, 0, 0], late: [7, 8, 9, 10] },
    record: (stage) => {
      const { context } = stage;
      const bytes = stage.buffer(16);
      const late = stage.buffer(4);
      const other = stage.buffer(4);
      stage.frame(() => {
        context.writeBuffer(bytes, 4, new Uint8Array([1, 2, 3, 4]));
        context.writeBufferFromAttachment(bytes, 8, counting(12, 18).buffer as ArrayBuffer, 4, 4);
        // After this copy the list has begun, so the write must execute in its middle.
        context.copyBufferToBuffer(bytes, 0, other, 0, 4);
        context.writeBuffer(late, 0, new Uint8Array([7, 8, 9, 10]));
        stage.readBuffer('bytes', bytes, 16);
        stage.readBuffer('late', late, 4);
      });
    },
  },
  {
    commands: ['renameBuffer', 'writeBufferUnordered'],
    // Earlier commands use the old memory. The new memory starts as zeros.
    expected: { before: [1, 1, 1, 1, 1, 1, 1, 1], after: [2, 2, 2, 2, 0, 0, 0, 0] },
    record: (stage) => {
      const { context } = stage;
      const bytes = stage.buffer(new Uint8Array(8).fill(1));
      const before = stage.buffer(8);
      stage.frame(() => {
        context.copyBufferToBuffer(bytes, 0, before, 0, 8);
        context.renameBuffer(bytes);
        context.writeBufferUnordered(bytes, 0, new Uint8Array(4).fill(2));
        stage.readBuffer('before', before, 8);
        stage.readBuffer('after', bytes, 8);
      });
    },
  },
  {
    commands: ['createTexture', 'writeTexture', 'writeTextureFromAttachment'],
    expected: {
      whole: picture,
      part: quarters([0, 0, 0, 0], [9, 9, 9, 9], [0, 0, 0, 0], [0, 0, 0, 0]),
    },
    record: (stage) => {
      const { context } = stage;
      const whole = stage.texture();
      const part = stage.texture();
      stage.frame(() => {
        const size = { width: 4, height: 4, bytesPerRow: 16 };
        context.writeTexture(whole, size, counting(64));
        context.writeTextureFromAttachment(
          part,
          { width: 2, height: 2, origin: [2, 0, 0], byteOffset: 4, bytesPerRow: 8 },
          new Uint8Array(20).fill(9).buffer,
        );
        stage.readTexture('whole', whole);
        stage.readTexture('part', part);
      });
    },
  },
  {
    commands: ['copyExternalImage'],
    needs: 'ImageBitmap',
    expected: { image: quarters([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]) },
    record: async (stage) => {
      const { context } = stage;
      const texture = stage.texture();
      const pixels = quarters([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]);
      const image = await createImageBitmap(new ImageData(new Uint8ClampedArray(pixels), 4, 4));
      stage.frame(() => {
        context.copyExternalImage(image, texture, { width: 4, height: 4 });
        stage.readTexture('image', texture);
      });
    },
  },
  {
    commands: ['clearBuffer'],
    expected: { bytes: [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 12, 13, 14, 15] },
    record: (stage) => {
      const bytes = stage.buffer(counting(16));
      stage.frame(() => {
        stage.context.clearBuffer(bytes, 4, 8);
        stage.readBuffer('bytes', bytes, 16);
      });
    },
  },
  {
    commands: ['copyBufferToBuffer'],
    expected: { bytes: [0, 0, 0, 0, 8, 9, 10, 11] },
    record: (stage) => {
      const source = stage.buffer(counting(16));
      const target = stage.buffer(8);
      stage.frame(() => {
        stage.context.copyBufferToBuffer(source, 8, target, 4, 4);
        stage.readBuffer('bytes', target, 8);
      });
    },
  },
  {
    commands: ['copyBufferToTexture', 'copyTextureToBuffer'],
    expected: { texels: picture, part: [40, 41, 42, 43, 44, 45, 46, 47] },
    record: (stage) => {
      const { context } = stage;
      const rows = new Uint8Array(1024);
      for (let row = 0; row < 4; row++) rows.set(counting(16, row * 16), row * 256);
      const source = stage.buffer(rows);
      const texture = stage.texture();
      stage.frame(() => {
        context.copyBufferToTexture(source, texture, { width: 4, height: 4, bytesPerRow: 256 });
        stage.readTexture('texels', texture);
        const part = stage.buffer(8);
        context.copyTextureToBuffer(texture, part, {
          width: 2,
          height: 1,
          origin: [2, 2, 0],
          bytesPerRow: 256,
        });
        stage.readBuffer('part', part, 8);
      });
    },
  },
  {
    commands: ['copyTextureToTexture'],
    expected: { layer: picture.slice(0, 8), rest: repeated(8, [0]) },
    record: (stage) => {
      const { context } = stage;
      const source = stage.texture();
      const target = stage.texture({ depthOrArrayLayers: 2, mipLevelCount: 2 });
      stage.frame(() => {
        context.writeTexture(source, { width: 4, height: 4, bytesPerRow: 16 }, counting(64));
        context.copyTextureToTexture(source, target, {
          width: 2,
          height: 1,
          mipLevel: 1,
          origin: [0, 1, 1],
          sourceOrigin: [0, 0, 0],
        });
        const half = { width: 2, height: 1, mipLevel: 1 };
        stage.readTexture('layer', target, 4, { ...half, origin: [0, 1, 1] });
        stage.readTexture('rest', target, 4, { ...half, origin: [0, 0, 1] });
      });
    },
  },
  {
    commands: ['assumeNotInUse'],
    expected: { bytes: [6, 7, 8, 9] },
    record: (stage) => {
      const { context } = stage;
      const bytes = stage.buffer(new Uint8Array([6, 7, 8, 9]));
      const unused = stage.texture();
      stage.frame(() => {
        destroyNow(context, unused);
        stage.readBuffer('bytes', bytes, 4);
      });
    },
  },
  {
    commands: ['transition'],
    expected: { bytes: [5, 6, 7, 8] },
    record: (stage) => {
      const { context } = stage;
      const bytes = stage.buffer(new Uint8Array([5, 6, 7, 8]));
      const texture = stage.texture();
      stage.frame(() => {
        context.transition(bytes, BufferUsage.copyTarget, BufferUsage.copySource);
        context.transition(texture, 0, TextureUsage.renderAttachment);
        stage.readBuffer('bytes', bytes, 4);
      });
    },
  },
  {
    commands: [
      'createSampler',
      'createShaderModule',
      'createBindGroupLayout',
      'createBindGroup',
      'createGraphicsPipeline',
      'destroyResource',
    ],
    title: 'a sampled texture, destroyed right after its last use',
    expected: { target: quarters([10, 20, 30, 255], [40, 50, 60, 255], [70, 80, 90, 255], [1, 2, 3, 255]) },
    record: (stage) => {
      const { context } = stage;
      const target = stage.texture();
      const image = stage.texture({ width: 2, height: 2 });
      const sampler = context.createSampler({ label: 'nearest' });
      const layout = context.createBindGroupLayout({
        label: 'image',
        entries: [
          { binding: 0, visibility: 2, texture: {} },
          { binding: 1, visibility: 2, sampler: {} },
        ],
      });
      const bindGroup = context.createBindGroup({
        label: 'image',
        layout,
        entries: [
          { binding: 0, view: { texture: image } },
          { binding: 1, sampler },
        ],
      });
      const module = context.createShaderModule({ label: 'sampled', code: sampled });
      const pipeline = context.createGraphicsPipeline({
        label: 'sampled',
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'vertex' },
        fragment: { module, entryPoint: 'fragment', targets: [{ format: 'rgba8unorm' }] },
      });
      stage.frame(() => {
        const texels = [10, 20, 30, 255, 40, 50, 60, 255, 70, 80, 90, 255, 1, 2, 3, 255];
        context.writeTexture(image, { width: 2, height: 2, bytesPerRow: 8 }, Uint8Array.from(texels));
        context.beginRenderPass({
          label: 'sampled',
          colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
        });
        context.setGraphicsPipeline(pipeline);
        context.setBindGroup(0, bindGroup);
        context.draw(3);
        for (const handle of [bindGroup, image, sampler, pipeline, module, layout]) context.destroy(handle);
        context.endRenderPass();
        stage.readTexture('target', target);
      });
    },
  },
];

const sampled = `
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;
@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
}
@fragment fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
  return textureSample(image, nearest, at.xy / 4);
}`;

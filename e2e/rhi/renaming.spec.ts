// Checks by pixels that a draw reads the right memory of a renamed buffer, and that draws in a bundle equal
// draws in a pass.
import type { Page } from '@playwright/test';
import type { DrawBundleHandle, DrawRecorder } from 'fencepost/rhi';
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';

test.beforeEach(async ({ page }) => {
  await openLoadedPage(page, '/e2e/rhi/commands.html');
});

/** Returns, per frame, the colour at the top and at the bottom of each of four columns. */
const drawColumns = (page: Page, frames: number) =>
  page.evaluate(async (frameCount) => {
    const { openDevice, createRhi, BufferUsage, TextureUsage, ShaderStage } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
    const { context } = rhi;
    const module = context.createShaderModule({
      label: 'columns',
      code: `@group(0) @binding(0) var<uniform> color: vec4f;
@vertex fn vertexMain(@location(0) position: vec2f) -> @builtin(position) vec4f { return vec4f(position, 0.0, 1.0); }
@fragment fn fragmentMain() -> @location(0) vec4f { return color; }`,
    });
    const layout = context.createBindGroupLayout({
      label: 'color',
      entries: [{ binding: 0, visibility: ShaderStage.fragment, buffer: {} }],
    });
    const pipeline = context.createGraphicsPipeline({
      label: 'columns',
      bindGroupLayouts: [layout],
      vertex: {
        module,
        entryPoint: 'vertexMain',
        buffers: [{ arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }] }],
      },
      fragment: { module, entryPoint: 'fragmentMain', targets: [{ format: 'rgba8unorm' }] },
      primitive: { topology: 'triangle-strip' },
    });
    const size = 16;
    const target = context.createTexture({
      label: 'target',
      width: size,
      height: size,
      format: 'rgba8unorm',
      usage: TextureUsage.renderAttachment | TextureUsage.copySource,
    });
    const color = context.createBuffer({
      label: 'color',
      byteLength: 16,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    const quad = context.createBuffer({
      label: 'quad',
      byteLength: 32,
      usage: BufferUsage.vertex | BufferUsage.copyTarget,
    });
    const group = context.createBindGroup({
      label: 'color',
      layout,
      entries: [{ binding: 0, buffer: color }],
    });
    const bytes = (...values: number[]) => new Uint8Array(new Float32Array(values).buffer);
    const whole = bytes(-1, -1, 1, -1, -1, 1, 1, 1);
    const lower = bytes(-1, -1, 1, -1, -1, 0, 1, 0);
    await rhi.flush();
    await rhi.executor.whenPipelinesReady();

    const pictures: number[][][][] = [];
    for (let frame = 1; frame <= frameCount; frame++) {
      context.beginFrame(frame);
      context.writeBuffer(color, 0, bytes(1, 0, 0, 1));
      context.writeBuffer(quad, 0, whole);
      context.beginRenderPass({
        label: 'columns',
        colorAttachments: [
          { view: { texture: target }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 1, 1] },
        ],
      });
      context.setGraphicsPipeline(pipeline);
      context.setBindGroup(0, group);
      context.setVertexBuffer(0, quad, 0, 32);
      const column = (index: number) => {
        context.setScissorRect(index * 4, 0, 4, size);
        context.draw(4);
      };
      column(0);
      context.renameBuffer(color);
      context.writeBufferUnordered(color, 0, bytes(0, 1, 0, 1));
      column(1);
      context.renameBuffer(quad);
      context.writeBufferUnordered(quad, 0, lower);
      column(2);
      context.renameBuffer(color);
      column(3);
      context.endRenderPass();
      context.endFrame();
      const rows = context.createBuffer({
        label: 'rows',
        byteLength: 256 * size,
        usage: BufferUsage.copyTarget | BufferUsage.copySource,
      });
      context.copyTextureToBuffer(target, rows, { width: size, height: size, bytesPerRow: 256 });
      const reading = rhi.read(rows, 0, 256 * size);
      context.destroy(rows);
      await rhi.flush();
      const read = new Uint8Array(await reading);
      const at = (x: number, y: number) => [...read.subarray(y * 256 + x * 4, y * 256 + x * 4 + 4)];
      pictures.push([0, 1, 2, 3].map((index) => [at(index * 4 + 1, 1), at(index * 4 + 1, size - 2)]));
    }
    const { leaks } = rhi.dispose();
    device.destroy();
    return { pictures, errors, leaks: leaks.length };
  }, frames);

test('M1 each draw reads the memory that its buffer had when the draw was recorded, frame after frame', async ({
  page,
}) => {
  const { pictures, errors } = await drawColumns(page, 8);
  expect(errors).toEqual([]);
  const [red, green, blue, zero] = [
    [255, 0, 0, 255],
    [0, 255, 0, 255],
    [0, 0, 255, 255],
    [0, 0, 0, 0],
  ];
  // The last column's buffer was renamed and not written, so it holds zeros although the memory was used
  // before.
  const expected = [
    [red, red],
    [green, green],
    [blue, green],
    [blue, zero],
  ];
  expect(pictures).toEqual(Array(8).fill(expected));
});

/**
 * Returns the pixels of each frame of a pass with 300 draws, multisampled and with depth, in which everything
 * moves.
 */
const drawMany = (page: Page, withBundle: boolean) =>
  page.evaluate(async (isBundled) => {
    const { openDevice, createRhi, BufferUsage, TextureUsage, ShaderStage } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const figures: number[][] = [];
    let bundles = 0;
    const execute = GPURenderPassEncoder.prototype.executeBundles;
    GPURenderPassEncoder.prototype.executeBundles = function (list) {
      bundles++;
      execute.call(this, list);
    };
    const rhi = createRhi({
      device,
      onError: (error) => errors.push(String(error)),
      onFrame: ({ drawCalls, instances, skippedDraws }) => figures.push([drawCalls, instances, skippedDraws]),
    });
    const { context } = rhi;
    const count = 320;
    const module = context.createShaderModule({
      label: 'many',
      code: `struct Moved { offset: vec2f, depth: f32, shade: f32 }
@group(0) @binding(0) var<storage, read> moved: array<Moved>;
struct Varyings { @builtin(position) position: vec4f, @location(0) shade: f32 }
@vertex fn vertexMain(@builtin(instance_index) i: u32, @builtin(vertex_index) v: u32) -> Varyings {
  let corner = vec2f(f32(v & 1u), f32(v >> 1u)) * 0.2;
  return Varyings(vec4f(moved[i].offset + corner, moved[i].depth, 1.0), moved[i].shade);
}
@fragment fn fragmentMain(in: Varyings) -> @location(0) vec4f { return vec4f(in.shade, 1.0 - in.shade, 0.5, 1.0); }`,
    });
    const layout = context.createBindGroupLayout({
      label: 'many',
      entries: [{ binding: 0, visibility: ShaderStage.vertex, buffer: { type: 'read-only-storage' } }],
    });
    const pipeline = context.createGraphicsPipeline({
      label: 'many',
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'vertexMain' },
      fragment: { module, entryPoint: 'fragmentMain', targets: [{ format: 'rgba8unorm' }] },
      primitive: { topology: 'triangle-strip' },
      depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
      multisample: { count: 4 },
    });
    const size = 32;
    const texture = (label: string, format: GPUTextureFormat, sampleCount: number) =>
      context.createTexture({
        label,
        width: size,
        height: size,
        format,
        sampleCount,
        usage: TextureUsage.renderAttachment | (sampleCount === 1 ? TextureUsage.copySource : 0),
      });
    const samples = texture('samples', 'rgba8unorm', 4);
    const depth = texture('depth', 'depth24plus', 4);
    const target = texture('target', 'rgba8unorm', 1);
    const moved = context.createBuffer({
      label: 'moved',
      byteLength: count * 16,
      usage: BufferUsage.storage | BufferUsage.copyTarget,
    });
    const group = context.createBindGroup({
      label: 'many',
      layout,
      entries: [{ binding: 0, buffer: moved }],
    });
    await rhi.flush();
    await rhi.executor.whenPipelinesReady();

    const pictures: string[] = [];
    const record = (draws: DrawRecorder, first: number): void => {
      draws.setGraphicsPipeline(pipeline);
      draws.pushDebugGroup('all');
      for (let i = 0; i < 300; i++) {
        draws.setBindGroup(0, group);
        draws.draw(4, 1, 0, first + i);
      }
      draws.popDebugGroup();
    };
    let bundle: DrawBundleHandle | undefined;
    // Index of the first drawn object per frame. Four frames draw the same 300 objects, and four frames draw
    // others.
    const firsts = [0, 0, 0, 0, 20, 20, 20, 20];
    for (const [index, first] of firsts.entries()) {
      context.beginFrame(index + 1);
      const data = new Float32Array(count * 4);
      for (let i = 0; i < count; i++) {
        const angle = i + index * 0.3;
        data.set([Math.cos(angle) * 0.8, Math.sin(angle * 1.7) * 0.8, (i % 50) / 50, (i % 9) / 9], i * 4);
      }
      if (isBundled && first !== firsts[index - 1]) {
        if (bundle !== undefined) context.destroy(bundle);
        bundle = context.createDrawBundle({ label: 'many' }, (draws) => record(draws, first));
      }
      // Renaming changes the bind group's object, so the bundle must be encoded again.
      if (index === 2) context.renameBuffer(moved);
      context.writeBuffer(moved, 0, data);
      context.beginRenderPass({
        label: 'many',
        colorAttachments: [
          {
            view: { texture: samples },
            resolveTarget: { texture: target },
            loadOp: 'clear',
            storeOp: 'discard',
            clearValue: [index / 10, 0, 0, 1],
          },
        ],
        depthStencilAttachment: {
          view: { texture: depth },
          depthLoadOp: 'clear',
          depthStoreOp: 'discard',
          depthClearValue: 1,
        },
      });
      context.setViewport(0, 0, size - index, size, 0, 1);
      if (bundle === undefined) record(context, first);
      else context.executeDrawBundle(bundle);
      context.endRenderPass();
      context.endFrame();
      const rows = context.createBuffer({
        label: 'rows',
        byteLength: 256 * size,
        usage: BufferUsage.copyTarget | BufferUsage.copySource,
      });
      context.copyTextureToBuffer(target, rows, { width: size, height: size, bytesPerRow: 256 });
      const reading = rhi.read(rows, 0, 256 * size);
      context.destroy(rows);
      await rhi.flush();
      pictures.push(new Uint8Array(await reading).toString());
    }
    rhi.dispose();
    device.destroy();
    GPURenderPassEncoder.prototype.executeBundles = execute;
    return { pictures, errors, figures, bundles };
  }, withBundle);

test('C draw: 300 draws in a bundle give the same pixels and statistics as draws in a pass, also after renaming', async ({
  page,
}) => {
  const bundled = await drawMany(page, true);
  const executed = await drawMany(page, false);
  expect([bundled.errors, executed.errors]).toEqual([[], []]);
  expect(bundled.pictures).toEqual(executed.pictures);
  expect(new Set(executed.pictures).size).toBe(8);
  expect(bundled.figures).toEqual(executed.figures);
  expect(bundled.figures).toEqual(Array(8).fill([300, 300, 0]));
  expect([bundled.bundles, executed.bundles]).toEqual([8, 0]);
});

// Memory of the RHI on WebGPU, checked by pixels and bytes: dynamic buffers (L5), map modes (M1, M2, M7), CPU
// shadows (M4), and `destroyNow` (M3). Each test runs in the page with `fencepost/rhi` alone.
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';

/** A shader that fills the target with a uniform's colour. */
const shader = /* wgsl */ `
@group(0) @binding(0) var<uniform> color: vec4f;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i / 2u) * 4 - 1, f32(i % 2u) * 4 - 1, 0, 1);
}
@fragment fn paint() -> @location(0) vec4f { return color; }`;

async function open(page: Page): Promise<void> {
  await openLoadedPage(page, '/e2e/rhi/commands.html');
  await page.evaluate((code) => {
    /** Creates an RHI, and a row of `width` texels. Each draw call fills one texel with a uniform's colour. */
    const setUp = async (width: number, hasDynamicOffset: boolean) => {
      const { BufferUsage, createRhi, FrameFlag, openDevice, ShaderStage, TextureUsage } = window.rhi;
      const { device } = await openDevice(navigator.gpu);
      const errors: string[] = [];
      const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
      const { context } = rhi;
      const module = context.createShaderModule({ label: 'paint', code });
      const layout = context.createBindGroupLayout({
        label: 'color',
        entries: [{ binding: 0, visibility: ShaderStage.fragment, buffer: { hasDynamicOffset } }],
      });
      const target = context.createTexture({
        label: 'row',
        width,
        height: 1,
        format: 'rgba8unorm',
        usage: TextureUsage.renderAttachment | TextureUsage.copySource,
      });
      const pipeline = context.createGraphicsPipeline({
        label: 'paint',
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'corner' },
        fragment: { module, entryPoint: 'paint', targets: [{ format: 'rgba8unorm' }] },
      });
      const pixels = context.createBuffer({
        label: 'pixels',
        byteLength: 256,
        usage: BufferUsage.copyTarget | BufferUsage.copySource,
      });
      const pass = {
        label: 'row',
        colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
      } as const;
      let frame = 0;
      const nextFrame = () => frame++;
      /** Draws in a frame. Returns the first byte of each texel. */
      const draw = async (record: (paint: (texel: number) => void) => void, after?: () => void) => {
        context.beginFrame(nextFrame(), FrameFlag.waitForPipelines);
        context.beginRenderPass(pass);
        context.setGraphicsPipeline(pipeline);
        record((texel) => {
          context.setScissorRect(texel, 0, 1, 1);
          context.draw(3);
        });
        context.endRenderPass();
        after?.();
        context.copyTextureToBuffer(target, pixels, { width, height: 1, bytesPerRow: 256 });
        const reading = rhi.read(pixels, 0, width * 4);
        context.endFrame();
        await rhi.flush();
        const bytes = new Uint8Array(await reading);
        return Array.from({ length: width }, (_, texel) => bytes[texel * 4] as number);
      };
      const end = () => {
        for (const handle of [module, layout, target, pipeline, pixels]) context.destroy(handle);
        context.beginFrame(nextFrame());
        context.endFrame();
        const { leaks } = rhi.dispose();
        device.destroy();
        return { errors, leaks };
      };
      return { rhi, context, layout, draw, end, nextFrame };
    };
    Object.assign(window, { setUp });
  }, shader);
}

type SetUp = (
  width: number,
  hasDynamicOffset: boolean,
) => Promise<{
  rhi: import('fencepost/rhi').Rhi;
  context: import('fencepost/rhi').ImmediateContext;
  layout: import('fencepost/rhi').BindGroupLayoutHandle;
  draw(record: (paint: (texel: number) => void) => void, after?: () => void): Promise<number[]>;
  nextFrame(): number;
  end(): { errors: string[]; leaks: readonly unknown[] };
}>;
declare global {
  interface Window {
    setUp: SetUp;
  }
}

const clean = { errors: [], leaks: [] };

test('L5 uniforms per draw work with dynamic offsets, allocated and filled inside the pass, frame after frame', async ({
  page,
}) => {
  await open(page);
  const { frames, result } = await page.evaluate(async () => {
    const { context, rhi, layout, draw, end } = await window.setUp(8, true);
    // Three draws fill a page. The frame needs three pages, which are added while it is recorded.
    const dynamic = new window.rhi.DynamicBuffers(rhi.context, { pageBytes: 768 });
    const frames: number[][] = [];
    for (let frame = 0; frame < 4; frame++) {
      const groups = new Map<number, ReturnType<typeof dynamic.bindGroup>>();
      frames.push(
        await draw((paint) => {
          for (let texel = 0; texel < 8; texel++) {
            const color = dynamic.allocate(16, 256, `color ${texel}`);
            color.floats.fill((frame * 50 + texel) / 255, color.firstWord, color.firstWord + 4);
            color.commit();
            const { buffer } = color;
            const group =
              groups.get(buffer) ??
              dynamic.bindGroup({ label: 'page', layout, entries: [{ binding: 0, buffer, byteLength: 16 }] });
            groups.set(buffer, group);
            context.setBindGroup(0, group, [color.byteOffset]);
            paint(texel);
          }
        }),
      );
    }
    const { pageCount } = dynamic;
    dynamic.dispose();
    return { frames, result: { pageCount, ...end() } };
  });
  expect(frames).toEqual([0, 50, 100, 150].map((base) => [0, 1, 2, 3, 4, 5, 6, 7].map((i) => base + i)));
  expect(result).toEqual({ pageCount: 3, ...clean });
});

test('M6 dynamic pages are bounded: unused pages are freed for new ones, and an allocation beyond the maximum throws an error with its label', async ({
  page,
}) => {
  await open(page);
  const { texels, refused, bytes, result } = await page.evaluate(async () => {
    const { context, rhi, layout, draw, end } = await window.setUp(4, true);
    const dynamic = new window.rhi.DynamicBuffers(rhi.context, { pageBytes: 256, maximumBytes: 1024 });
    let refused = '';
    const texels: number[][] = [];
    for (let frame = 0; frame < 2; frame++) {
      texels.push(
        await draw((paint) => {
          // The first frame needs four small pages, the second frame one large page.
          for (let texel = 0; texel < (frame === 0 ? 4 : 1); texel++) {
            const color = dynamic.allocate(frame === 0 ? 256 : 1024, 256, 'color');
            color.floats.fill((10 * frame + texel + 1) / 255, color.firstWord, color.firstWord + 4);
            color.commit();
            const { buffer } = color;
            const group = dynamic.bindGroup({
              label: 'color',
              layout,
              entries: [{ binding: 0, buffer, byteLength: 16 }],
            });
            context.setBindGroup(0, group, [color.byteOffset]);
            paint(texel);
          }
          try {
            dynamic.allocate(4, 256, 'one more');
          } catch (error) {
            const { code, message } = error as { code: string; message: string };
            refused = `${code} ${message.includes('"one more"')}`;
          }
        }),
      );
    }
    const { peakBytes, totalBytes } = dynamic;
    dynamic.dispose();
    return { texels, refused, bytes: [peakBytes, totalBytes], result: end() };
  });
  expect(texels[0]).toEqual([1, 2, 3, 4]);
  expect(texels[1]?.[0]).toBe(11);
  expect(refused).toBe('dynamic-exhausted true');
  expect(bytes).toEqual([1024, 1024]);
  expect(result).toEqual(clean);
});

test('M1 after a write-discard in a pass, earlier draws read the old memory and later draws the new', async ({
  page,
}) => {
  await open(page);
  const { first, second, result } = await page.evaluate(async () => {
    const { context, rhi, layout, draw, end } = await window.setUp(4, false);
    const { BufferMapping, BufferUsage } = window.rhi;
    const mapping = new BufferMapping(rhi);
    const color = context.createBuffer({
      label: 'color',
      byteLength: 16,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    const group = context.createBindGroup({
      label: 'color',
      layout,
      entries: [{ binding: 0, buffer: color }],
    });
    const put = (value: number, mode: 'write-discard' | 'write-no-overwrite') => {
      const mapped = mapping.map(color, mode);
      mapped.floats.fill(value / 255);
      mapped.unmap();
    };
    const first = await draw((paint) => {
      put(10, 'write-no-overwrite');
      context.setBindGroup(0, group);
      paint(0);
      put(20, 'write-discard');
      paint(1);
      put(30, 'write-discard');
      context.setBindGroup(0, group);
      paint(2);
      paint(3);
    });
    const second = await draw((paint) => {
      context.setBindGroup(0, group);
      paint(0);
      put(40, 'write-discard');
      paint(1);
    });
    const { now } = mapping.stagingBytes;
    context.destroy(group);
    context.destroy(color);
    return { first, second, result: { now, ...end() } };
  });
  expect(first).toEqual([10, 20, 30, 30]);
  expect(second.slice(0, 2)).toEqual([30, 40]);
  expect(result).toEqual({ now: 0, ...clean });
});

test('M7 a map for reading sees every earlier write; M2 it does not wait with doNotWait', async ({
  page,
}) => {
  await open(page);
  const { seen, polls, result } = await page.evaluate(async () => {
    const { context, rhi, end, nextFrame } = await window.setUp(1, false);
    const { BufferMapping, BufferUsage } = window.rhi;
    const mapping = new BufferMapping(rhi);
    const usage = BufferUsage.copyTarget | BufferUsage.copySource;
    const data = context.createBuffer({ label: 'data', byteLength: 16, usage });
    const seen: number[][] = [];
    const read = async (record: () => void) => {
      context.beginFrame(nextFrame());
      record();
      const reading = mapping.map(data, 'read');
      context.endFrame();
      context.publish();
      const mapped = await reading;
      seen.push([...mapped.words]);
      mapped.unmap();
    };
    await read(() => context.writeBuffer(data, 0, Uint32Array.of(1, 2, 3, 4)));
    await read(() => {
      context.clearBuffer(data, 4, 4);
      context.writeBuffer(data, 8, Uint32Array.of(7));
    });
    await read(() => {
      const mapped = mapping.map(data, 'write-discard');
      mapped.words.set([5, 6]);
      mapped.unmap();
    });
    context.beginFrame(nextFrame());
    const changing = mapping.map(data, 'read-write', { byteOffset: 4, byteLength: 4 });
    context.endFrame();
    context.publish();
    const changed = await changing;
    changed.words[0] = (changed.words[0] as number) * 100;
    context.beginFrame(nextFrame());
    changed.unmap();
    context.endFrame();
    await read(() => {});
    const polls: (string | number[])[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const mapped = mapping.map(data, 'read', { doNotWait: true });
        polls.push([...mapped.words]);
        mapped.unmap();
      } catch (error) {
        polls.push((error as { code: string }).code);
      }
      context.beginFrame(nextFrame());
      context.endFrame();
      await rhi.flush();
      // Waits for two microtasks after the read-back's promise.
      await Promise.resolve();
      await Promise.resolve();
    }
    context.destroy(data);
    return { seen, polls, result: end() };
  });
  expect(seen).toEqual([
    [1, 2, 3, 4],
    [1, 0, 7, 4],
    [5, 6, 0, 0],
    [5, 600, 0, 0],
  ]);
  expect(polls).toEqual(['was-still-drawing', [5, 600, 0, 0]]);
  expect(result).toEqual(clean);
});

test('M4 draws see what the CPU writes to a shadow after they are recorded, in the same submission', async ({
  page,
}) => {
  await open(page);
  const { frames, result } = await page.evaluate(async () => {
    const { context, rhi, layout, draw, end } = await window.setUp(2, true);
    const { BufferUsage, CpuShadow } = window.rhi;
    const byteLength = 512;
    const colors = context.createBuffer({
      label: 'colors',
      byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    const shadow = new CpuShadow(rhi.context, colors, byteLength);
    const group = context.createBindGroup({
      label: 'colors',
      layout,
      entries: [{ binding: 0, buffer: colors, byteLength: 16 }],
    });
    const frames: number[][] = [];
    const put = (slot: number, value: number) => {
      shadow.floats.fill(value / 255, slot * 64, slot * 64 + 4);
      shadow.markDirty(slot * 256, 16);
    };
    for (const [left, right] of [
      [1, 2],
      [3, null],
      [null, 4],
      [null, null],
    ]) {
      frames.push(
        await draw(
          (paint) => {
            for (const texel of [0, 1]) {
              context.setBindGroup(0, group, [texel * 256]);
              paint(texel);
            }
          },
          () => {
            if (left) put(0, left);
            if (right) put(1, right);
          },
        ),
      );
    }
    context.destroy(group);
    context.destroy(colors);
    return { frames, result: end() };
  });
  expect(frames).toEqual([
    [1, 2],
    [3, 2],
    [3, 4],
    [3, 4],
  ]);
  expect(result).toEqual(clean);
});

test('M3 destroyNow frees a buffer at once, and WebGPU reports no error', async ({ page }) => {
  await open(page);
  const { pending, freed, result } = await page.evaluate(async () => {
    const { context, rhi, draw, end, nextFrame } = await window.setUp(1, false);
    const { BufferUsage, destroyNow } = window.rhi;
    let destroyed = 0;
    const { destroy } = GPUBuffer.prototype;
    GPUBuffer.prototype.destroy = function () {
      if (this.label === 'scratch') destroyed++;
      return destroy.call(this);
    };
    const pending: number[] = [];
    const freed: number[][] = [];
    for (const isPromised of [false, true]) {
      const usage = BufferUsage.copyTarget;
      const buffer = context.createBuffer({ label: 'scratch', byteLength: 1 << 20, usage });
      await draw(() => {});
      context.beginFrame(nextFrame());
      if (isPromised) destroyNow(context, buffer);
      else context.destroy(buffer);
      context.endFrame();
      context.publish();
      rhi.executor.pump();
      pending.push(rhi.executor.stats.pendingReleases);
      const inFlight = destroyed;
      await rhi.flush();
      freed.push([inFlight, destroyed]);
    }
    GPUBuffer.prototype.destroy = destroy;
    return { pending, freed, result: end() };
  });
  expect(pending).toEqual([1, 0]);
  // `destroy` frees the buffer once its list has completed. `destroyNow` frees it while the list is still on
  // the GPU.
  expect(freed).toEqual([
    [0, 1],
    [2, 2],
  ]);
  expect(result).toEqual(clean);
});

// Every command of the RHI (SYSTEMS, table C) on WebGPU. The same list files run in Chromium and, with Dawn,
// in Node, and must give the same words and the same bytes. Without Dawn, the tests in Node are reported as
// skipped.
import type { Page } from '@playwright/test';
import { openDevice } from 'fencepost/rhi';
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';
import { openDawn } from './dawn.js';
import { commandLists, testName } from './lists/index.js';
import { canRun, type ListResult, runList } from './lists/run-list.js';

const url = '/e2e/rhi/commands.html';

async function open(page: Page): Promise<void> {
  await openLoadedPage(page, url);
}

test.describe('lists', () => {
  let inChromium: (ListResult | null)[] = [];
  const onDawn = new Map<string, ListResult>();
  let noDawn = '';

  test.beforeAll(async ({ browser }) => {
    const page = await browser.newPage({ baseURL: process.env.FENCEPOST_ISOLATED_URL });
    await open(page);
    inChromium = await page.evaluate(() => window.runLists());
    await page.close();

    const dawn = await openDawn();
    if (typeof dawn === 'string') {
      noDawn = dawn;
      return;
    }
    const { device } = await openDevice(dawn.gpu);
    for (const list of commandLists) {
      if (canRun(list, device)) onDawn.set(testName(list), await runList(list, device));
    }
    device.destroy();
    dawn.close();
  });

  for (const [index, list] of commandLists.entries()) {
    test(testName(list), () => {
      const result = inChromium[index] as ListResult | null;
      test.skip(result === null, `This browser lacks ${list.needs}.`);
      const { reads, errors } = result as ListResult;
      expect(errors.map((error) => error.split(':')[0])).toEqual(list.errors ?? []);
      expect(reads).toEqual(list.expected);
    });
  }

  test('H8: the null backend accepts the same words, and has the same bytes where nothing is drawn', async ({
    page,
  }) => {
    await open(page);
    const onNull = await page.evaluate(() => window.runLists(true));
    let compared = 0;
    for (const [index, list] of commandLists.entries()) {
      const [result, onGpu] = [onNull[index], inChromium[index]];
      // The null backend has no video frames, images or device features.
      if (!result || !onGpu || list.needs !== undefined) continue;
      expect(result.words, testName(list)).toBe(onGpu.words);
      const isDrawing = Object.keys(result.counts).some((command) =>
        /^(draw|dispatch|beginRenderPass|beginComputePass|copyExternalImage|resolveQuerySet)/.test(command),
      );
      if (isDrawing) continue;
      expect(result.reads, testName(list)).toEqual(onGpu.reads);
      compared++;
    }
    expect(compared).toBeGreaterThan(10);
  });

  test('H8: lists give the same words and the same bytes in Chromium and on Dawn', () => {
    test.skip(noDawn !== '', noDawn);
    expect(onDawn.size).toBeGreaterThan(40);
    for (const [index, list] of commandLists.entries()) {
      const result = onDawn.get(testName(list));
      if (result !== undefined) expect(result, testName(list)).toEqual(inChromium[index]);
    }
  });
});

test('C outputVideoFrame outputs the picture of the canvas, or of the texture in its place', async ({
  page,
}) => {
  await open(page);
  const pictures = await page.evaluate(async () => {
    const { createRhi, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const pictures: { request: number; timestamp: number; pixels: number[] }[] = [];
    for (const surface of [new OffscreenCanvas(8, 8), null]) {
      let deliver: (frame: VideoFrame) => void = () => {};
      const delivered = new Promise<VideoFrame>((resolve) => {
        deliver = resolve;
      });
      let requested = 0;
      const errors: unknown[] = [];
      const rhi = createRhi({
        device,
        surface,
        onError: (error) => errors.push(error),
        onVideoFrame: (request, frame) => {
          requested = request;
          deliver(frame);
        },
      });
      const { context } = rhi;
      const target = context.createViewportTarget('viewport');
      context.beginFrame(1);
      context.beginDrawingViewport(target, 8, 8);
      context.beginRenderPass({
        label: 'orange',
        colorAttachments: [
          { view: { texture: target }, loadOp: 'clear', storeOp: 'store', clearValue: [1, 0.4, 0.2, 1] },
        ],
      });
      context.endRenderPass();
      context.outputVideoFrame(77, 40_000);
      context.endDrawingViewport(target);
      context.endFrame();
      await rhi.flush();
      if (errors.length > 0) throw errors[0];
      const frame = await delivered;
      const bytes = new Uint8Array(frame.allocationSize({ format: 'RGBA' }));
      await frame.copyTo(bytes, { format: 'RGBA' });
      pictures.push({ request: requested, timestamp: frame.timestamp, pixels: [...bytes.slice(0, 8)] });
      frame.close();
      rhi.dispose();
    }
    device.destroy();
    return pictures;
  });
  const picture = { request: 77, timestamp: 40_000, pixels: [255, 102, 51, 255, 255, 102, 51, 255] };
  expect(pictures).toEqual([picture, picture]);
});

test('C debugBreak stops an attached debugger on the device’s thread', async ({ page }) => {
  await open(page);
  const session = await page.context().newCDPSession(page);
  const places: string[] = [];
  const scripts = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ scriptId, url }) => scripts.set(scriptId, url));
  session.on('Debugger.paused', ({ callFrames }) => {
    places.push(scripts.get(callFrames[0]?.location.scriptId ?? '') ?? '');
    void session.send('Debugger.resume');
  });
  await session.send('Debugger.enable');
  await page.evaluate(async () => {
    const { createRhi, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const rhi = createRhi({ device });
    rhi.context.debugBreak();
    await rhi.flush();
    rhi.dispose();
    device.destroy();
  });
  expect(places).toHaveLength(1);
  expect(places[0]).toMatch(/\/dist\/rhi\.js$/);
});

test('queries: counts of samples and pass times are read back, and only pass times are absent without the feature', async ({
  page,
}) => {
  await open(page);
  const results = await page.evaluate(async () => {
    const { createRhi, millisecondsBetween, openDevice, QueryReadback } = window.rhi;
    const run = async (device: GPUDevice) => {
      const errors: unknown[] = [];
      const rhi = createRhi({ device, onError: (error) => errors.push(error) });
      const times = new QueryReadback(rhi, { label: 'times', type: 'timestamp', count: 2 });
      const samples = new QueryReadback(rhi, { label: 'samples', type: 'occlusion', count: 1 });
      const { context } = rhi;
      const target = context.createViewportTarget('viewport');
      const reads: Promise<BigUint64Array | null>[] = [];
      for (const frame of [1, 2, 3]) {
        context.beginFrame(frame);
        context.beginDrawingViewport(target, 8, 8);
        context.beginRenderPass({
          label: 'timed',
          colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
          timestampWrites: times.timestampWrites(0, 1),
          occlusionQuerySet: samples.querySet,
        });
        samples.occlusion(context, 0, () => {});
        context.endRenderPass();
        context.endDrawingViewport(target);
        reads.push(times.read(), samples.read());
        context.endFrame();
      }
      await rhi.flush();
      const values = await Promise.all(reads);
      times.destroy();
      samples.destroy();
      const milliseconds = [0, 2, 4].map((i) => millisecondsBetween(values[i] ?? null, 0, 1));
      const seen = [1, 3, 5].map((i) => values[i]?.[0]?.toString());
      const leaks = rhi.dispose().leaks.map(({ label }) => label);
      return { milliseconds, seen, leaks, errors: errors.map(String) };
    };
    const { device, capabilities } = await openDevice(navigator.gpu);
    const hasTimes = capabilities.features.includes('timestamp-query');
    const withFeatures = await run(device);
    device.destroy();
    const adapter = (await navigator.gpu.requestAdapter()) as GPUAdapter;
    const bare = await adapter.requestDevice();
    const without = await run(bare);
    bare.destroy();
    return { hasTimes, withFeatures, without };
  });
  const { hasTimes, withFeatures, without } = results;
  expect([withFeatures.errors, without.errors]).toEqual([[], []]);
  expect([withFeatures.seen, without.seen]).toEqual([
    ['0', '0', '0'],
    ['0', '0', '0'],
  ]);
  expect(without.milliseconds).toEqual([null, null, null]);
  expect([withFeatures.leaks, without.leaks]).toEqual([[], []]);
  // Quantised times may be equal. A time that went backwards is `null`.
  const measured = withFeatures.milliseconds.filter((time) => time !== null);
  if (hasTimes) for (const time of measured) expect(time).toBeGreaterThanOrEqual(0);
  else expect(measured).toEqual([]);
});

test('a shader that does not compile is reported with its position, and only its draws are left out', async ({
  page,
  expectErrors,
}) => {
  expectErrors(/unresolved value|colour|WGSL/);
  await open(page);
  const result = await page.evaluate(async () => {
    const { createRhi, openDevice, FrameFlag, TextureUsage, BufferUsage } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: { code: string; message: string }[] = [];
    const skipped: number[] = [];
    const rhi = createRhi({
      device,
      onError: (error) => errors.push(error as { code: string; message: string }),
      onFrame: ({ skippedDraws }) => skipped.push(skippedDraws),
    });
    const { context } = rhi;
    const code = (
      color: string,
    ) => `@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
}
@fragment fn fragment() -> @location(0) vec4f {
  return ${color};
}`;
    const pipeline = (label: string, color: string) => {
      const module = context.createShaderModule({ label, code: code(color) });
      return context.createGraphicsPipeline({
        label,
        bindGroupLayouts: [],
        vertex: { module, entryPoint: 'vertex' },
        fragment: { module, entryPoint: 'fragment', targets: [{ format: 'rgba8unorm' }] },
      });
    };
    const good = pipeline('good', 'vec4f(0, 1, 0, 1)');
    const bad = pipeline('bad', 'vec4f(colour, 1)');
    /** Returns the pixels of a pass with these draws, or the error of the read. */
    const draw = (label: string, pipelines: readonly (typeof good)[]): Promise<number[] | string> => {
      const usage = TextureUsage.renderAttachment | TextureUsage.copySource;
      const target = context.createTexture({ label, width: 4, height: 4, format: 'rgba8unorm', usage });
      const texels = context.createBuffer({ label, byteLength: 256, usage: BufferUsage.copyTarget });
      context.beginRenderPass({
        label,
        colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
      });
      for (const each of pipelines) {
        context.setGraphicsPipeline(each);
        context.draw(3);
      }
      context.endRenderPass();
      context.copyTextureToBuffer(target, texels, { width: 1, height: 1, bytesPerRow: 256 });
      return rhi.read(texels, 0, 4).then(
        (bytes) => [...new Uint8Array(bytes)],
        ({ code, message }) => `${code}: ${message}`,
      );
    };
    context.beginFrame(1, FrameFlag.waitForPipelines);
    const reads = [draw('sound', [good]), draw('both', [good, bad])];
    context.endFrame();
    await rhi.flush();
    const [sound, both] = await Promise.all(reads);
    rhi.dispose();
    device.destroy();
    return { errors: errors.map(({ code, message }) => ({ code, message })), skipped, sound, both };
  });
  expect(result.sound).toEqual([0, 255, 0, 255]);
  // A read of a target with a missing draw rejects.
  expect(result.both).toMatch(
    /^readback-failed: .*a draw of the pass "both" was left out, because its pipeline "bad"/,
  );
  expect(result.skipped).toEqual([1]);
  // The pipeline of the broken shader causes no further error.
  expect(result.errors.map(({ code }) => code)).toEqual(['shader-compilation']);
  const shader = result.errors.find(({ code }) => code === 'shader-compilation')?.message;
  expect(shader).toContain('The shader "bad" does not compile: line 5, column 16:');
  expect(shader).toContain('\n    return vec4f(colour, 1);\n                 ^');
});

test('reads of targets reject when validation refused their draw or dispatch', async ({ page }) => {
  await open(page);
  const result = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice, ShaderStage, TextureUsage, validate } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const rhi = createRhi({
      device,
      validation: validate,
      onError: (error) => errors.push((error as { code: string }).code),
    });
    const { context } = rhi;
    const outcomeOf = (bytes: Promise<unknown>): Promise<string> =>
      bytes.then(
        () => 'read',
        ({ code, message }) => `${code}: ${message}`,
      );
    const usage = TextureUsage.renderAttachment | TextureUsage.copySource;
    const target = context.createTexture({
      label: 'target',
      width: 4,
      height: 4,
      format: 'rgba8unorm',
      usage,
    });
    const numbers = context.createBuffer({
      label: 'numbers',
      byteLength: 16,
      usage: BufferUsage.storage | BufferUsage.copySource,
    });
    const layout = context.createBindGroupLayout({
      label: 'numbers',
      entries: [{ binding: 0, visibility: ShaderStage.compute, buffer: { type: 'storage' } }],
    });
    const group = context.createBindGroup({
      label: 'numbers',
      layout,
      entries: [{ binding: 0, buffer: numbers }],
    });
    const drawInto = (isDrawn: boolean): void => {
      context.beginRenderPass({
        label: 'picture',
        colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
      });
      if (isDrawn) context.draw(3);
      context.endRenderPass();
    };
    // The draw and the dispatch have no pipeline.
    drawInto(true);
    context.beginComputePass({ label: 'counting' });
    context.setBindGroup(0, group);
    context.dispatch(1);
    context.endComputePass();
    const reads = [outcomeOf(rhi.readTexture(target)), outcomeOf(rhi.read(numbers))];
    drawInto(false);
    reads.push(outcomeOf(rhi.readTexture(target)));
    await rhi.flush();
    const answers = await Promise.all(reads);
    rhi.dispose();
    device.destroy();
    return { answers, errors };
  });
  expect(result.answers).toEqual([
    expect.stringMatching(
      /^readback-failed: .*a draw of the pass "picture" was left out, because validation refused it/,
    ),
    expect.stringMatching(/^readback-failed: .*a dispatch was left out, because validation refused it/),
    'read',
  ]);
  expect(result.errors).toEqual(['pipeline-missing', 'pipeline-missing']);
});

test('a request beyond a limit throws at once, and one beyond the memory is reported later with its resource’s label', async ({
  page,
}) => {
  await open(page);
  const result = await page.evaluate(async () => {
    const { createRhi, openDevice, TextureUsage } = window.rhi;
    const { device, capabilities } = await openDevice(navigator.gpu);
    const errors: { code: string; message: string }[] = [];
    let skipped = 0;
    const rhi = createRhi({
      device,
      onError: (error) => errors.push(error as { code: string; message: string }),
      onFrame: ({ skippedDraws }) => {
        skipped += skippedDraws;
      },
    });
    const { context } = rhi;
    const thrown: string[] = [];
    const { maxTextureDimension2D, maxBufferSize, maxTextureArrayLayers } = capabilities.limits as Record<
      'maxTextureDimension2D' | 'maxBufferSize' | 'maxTextureArrayLayers',
      number
    >;
    const tooMuch = [
      () => context.createBuffer({ label: 'huge buffer', byteLength: maxBufferSize + 4, usage: 8 }),
      () =>
        context.createTexture({
          label: 'wide texture',
          width: maxTextureDimension2D + 808,
          height: 1,
          format: 'rgba8unorm',
          usage: 1,
        }),
    ];
    for (const create of tooMuch) {
      try {
        create();
      } catch (error) {
        thrown.push(`${(error as { code: string }).code}: ${(error as Error).message}`);
      }
    }
    // Each dimension is within its limit. Together they need 256 GiB or more, which the driver refuses before
    // it allocates.
    const texture = context.createTexture({
      label: 'whole world',
      width: maxTextureDimension2D,
      height: maxTextureDimension2D,
      depthOrArrayLayers: maxTextureArrayLayers,
      format: 'rgba32float',
      usage: TextureUsage.renderAttachment,
    });
    await rhi.flush();
    context.beginFrame(1);
    context.beginRenderPass({
      label: 'into it',
      colorAttachments: [
        { view: { texture, dimension: '2d', arrayLayerCount: 1 }, loadOp: 'clear', storeOp: 'store' },
      ],
    });
    context.draw(3);
    context.endRenderPass();
    context.endFrame();
    await rhi.flush();
    rhi.dispose();
    device.destroy();
    return { thrown, skipped, errors: errors.map(({ code, message }) => [code, message] as const) };
  });
  expect(result.thrown).toEqual([
    expect.stringMatching(
      /^limit-exceeded: The buffer "huge buffer" has a byteLength of \d+; .*maxBufferSize/,
    ),
    expect.stringMatching(
      /^limit-exceeded: The texture "wide texture" has a width of \d+; .*maxTextureDimension2D/,
    ),
  ]);
  expect(result.errors).toEqual([['out-of-memory', expect.stringContaining('The texture "whole world"')]]);
  expect(result.skipped).toBe(1);
});

test('C beginScene, endScene, pushDebugGroup, insertDebugMarker reach WebGPU as groups and markers, in passes and outside', async ({
  page,
}) => {
  await open(page);
  const calls = await page.evaluate(async () => {
    const calls: string[] = [];
    for (const { prototype, kind } of [
      { prototype: GPUCommandEncoder.prototype, kind: 'list' },
      { prototype: GPURenderPassEncoder.prototype, kind: 'pass' },
    ]) {
      for (const name of ['pushDebugGroup', 'popDebugGroup', 'insertDebugMarker'] as const) {
        const original = prototype[name] as (...parameters: string[]) => undefined;
        prototype[name] = function (this: GPUCommandEncoder & GPURenderPassEncoder, ...parameters: string[]) {
          calls.push([kind, name, ...parameters].join(' '));
          return original.apply(this, parameters);
        };
      }
    }
    const { createRhi, openDevice, TextureUsage } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const rhi = createRhi({ device });
    const { context } = rhi;
    const texture = context.createTexture({
      label: 'target',
      width: 4,
      height: 4,
      format: 'rgba8unorm',
      usage: TextureUsage.renderAttachment,
    });
    context.beginFrame(0);
    context.beginScene('world');
    context.insertDebugMarker('begun');
    context.beginRenderPass({
      label: 'pass',
      colorAttachments: [{ view: { texture }, loadOp: 'clear', storeOp: 'store' }],
    });
    context.pushDebugGroup('inside');
    context.insertDebugMarker('half');
    context.popDebugGroup();
    context.endRenderPass();
    context.endScene();
    context.endFrame();
    await rhi.flush();
    context.destroy(texture);
    rhi.dispose();
    device.destroy();
    return calls;
  });
  expect(calls).toEqual([
    'list pushDebugGroup world',
    'list insertDebugMarker begun',
    'pass pushDebugGroup inside',
    'pass insertDebugMarker half',
    'pass popDebugGroup',
    'list popDebugGroup',
  ]);
});

test('C invalidateCachedState makes the next draw set all state again, although nothing has changed', async ({
  page,
}) => {
  await open(page);
  const calls = await page.evaluate(async () => {
    const calls: string[] = [];
    const { setPipeline, setVertexBuffer } = GPURenderPassEncoder.prototype;
    GPURenderPassEncoder.prototype.setPipeline = function (pipeline) {
      calls.push('pipeline');
      return setPipeline.call(this, pipeline);
    };
    GPURenderPassEncoder.prototype.setVertexBuffer = function (...parameters) {
      calls.push('vertices');
      return setVertexBuffer.apply(this, parameters);
    };
    const { BufferUsage, createRhi, FrameFlag, openDevice, TextureUsage } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const rhi = createRhi({ device });
    const { context } = rhi;
    const texture = context.createTexture({
      label: 'target',
      width: 4,
      height: 4,
      format: 'rgba8unorm',
      usage: TextureUsage.renderAttachment,
    });
    const vertices = context.createBuffer({ label: 'vertices', byteLength: 48, usage: BufferUsage.vertex });
    const module = context.createShaderModule({
      label: 'red',
      code: `
        @vertex fn corner(@location(0) at: vec4f) -> @builtin(position) vec4f { return at; }
        @fragment fn red() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }`,
    });
    const pipeline = context.createGraphicsPipeline({
      label: 'red',
      bindGroupLayouts: [],
      vertex: {
        module,
        entryPoint: 'corner',
        buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] }],
      },
      fragment: { module, entryPoint: 'red', targets: [{ format: 'rgba8unorm' }] },
    });
    context.beginFrame(0, FrameFlag.waitForPipelines);
    context.beginRenderPass({
      label: 'pass',
      colorAttachments: [{ view: { texture }, loadOp: 'clear', storeOp: 'store' }],
    });
    const draw = (): void => {
      context.setGraphicsPipeline(pipeline);
      context.setVertexBuffer(0, vertices, 0, 48);
      context.draw(3);
      calls.push('drawn');
    };
    for (let count = 0; count < 2; count++) draw();
    context.invalidateCachedState();
    draw();
    context.endRenderPass();
    context.endFrame();
    calls.length = 0;
    await rhi.flush();
    for (const handle of [pipeline, module, vertices, texture]) context.destroy(handle);
    rhi.dispose();
    device.destroy();
    return calls;
  });
  // The second draw sets no state. The third draw sets all state again.
  expect([...calls].sort()).toEqual(['pipeline', 'pipeline', 'vertices', 'vertices']);
});

test('C transition: validation compares transitions with the uses of the resource', async ({ page }) => {
  await open(page);
  const result = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice, validate } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const codes: string[] = [];
    const onError = (error: unknown): void => void codes.push((error as { code: string }).code);
    const rhi = createRhi({ device, validation: validate, onError });
    const { context } = rhi;
    const { copySource, copyTarget, vertex } = BufferUsage;
    const usage = copySource | copyTarget;
    const [data, copy] = ['data', 'copy'].map((label) =>
      context.createBuffer({ label, byteLength: 16, usage }),
    ) as [import('fencepost/rhi').BufferHandle, import('fencepost/rhi').BufferHandle];
    context.beginFrame(0);
    context.writeBuffer(data, 0, Uint32Array.of(1, 2, 3, 4));
    context.transition(data, copyTarget, copySource);
    context.copyBufferToBuffer(data, 0, copy, 0, 16);
    const valid = [...codes];
    context.clearBuffer(data, 0, 16); // declared as a source
    context.transition(data, copyTarget, copySource); // it is a source already
    context.transition(data, copySource, vertex); // it was not created for vertices
    const reading = rhi.read(copy, 0, 16);
    context.endFrame();
    const bytes = [...new Uint32Array(await reading)];
    await rhi.flush();
    for (const handle of [data, copy]) context.destroy(handle);
    rhi.dispose();
    device.destroy();
    return { valid, codes, bytes };
  });
  expect(result).toEqual({
    valid: [],
    codes: ['transition-missing', 'transition-before', 'transition-usage'],
    bytes: [1, 2, 3, 4],
  });
});

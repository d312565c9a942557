import { describe, expect, it } from 'vitest';
import { BufferUsage, TextureUsage } from '../../commands/descriptors.js';
import { createRhi } from '../../host/create-rhi.js';
import { createFakeDevice } from '../fake-device.test-support.js';

function setUp() {
  const fake = createFakeDevice();
  const errors: { code: string; message: string }[] = [];
  const rhi = createRhi({
    device: fake.device,
    onError: (error) => errors.push(error as { code: string; message: string }),
  });
  const run = async () => {
    rhi.context.publish();
    rhi.executor.pump();
    for (let i = 0; i < 8; i++) await Promise.resolve();
    return fake.take();
  };
  const target = rhi.context.createViewportTarget('canvas');
  /** Records a frame with one pass into `texture`. */
  const frame = (number: number, texture: typeof target, body: () => void) => {
    rhi.context.beginFrame(number);
    rhi.context.beginDrawingViewport(target, 4, 4);
    rhi.context.beginRenderPass({
      label: 'main',
      colorAttachments: [{ view: { texture }, loadOp: 'clear', storeOp: 'store' }],
    });
    body();
    rhi.context.endRenderPass();
    rhi.context.endDrawingViewport(target);
    rhi.context.endFrame();
  };
  return { fake, rhi, context: rhi.context, errors, run, frame, target };
}

describe('out of memory', () => {
  it('is an error that names the failed buffer; commands that use the buffer are skipped, and draws are counted', async () => {
    const { fake, rhi, context, errors, run, frame, target } = setUp();
    const module = context.createShaderModule({ label: 'shader', code: '' });
    const pipeline = context.createGraphicsPipeline({
      label: 'pipeline',
      bindGroupLayouts: [],
      vertex: { module, entryPoint: 'main', buffers: [{ arrayStride: 4, attributes: [] }] },
    });
    const vertices = (label: string) =>
      context.createBuffer({ label, byteLength: 16, usage: BufferUsage.vertex | BufferUsage.copyTarget });
    const good = vertices('good');
    await run();
    await fake.finishPipeline();
    fake.failNextScope('no memory is left.', 'out-of-memory');
    const bad = vertices('terrain');
    await run();
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'out-of-memory',
        message:
          'The buffer "terrain" could not be created: no memory is left. Commands that use it are left out.',
      }),
    ]);
    context.writeBuffer(bad, 0, new Uint32Array(4));
    frame(1, target, () => {
      context.setGraphicsPipeline(pipeline);
      context.setVertexBuffer(0, bad, 0, 16);
      context.draw(3);
      context.setVertexBuffer(0, good, 0, 16);
      context.draw(4);
    });
    const draws = (await run()).filter((line) => line.startsWith('draw') || line.startsWith('write'));
    expect(draws).toEqual(['draw 4 1 0 0']);
    expect([rhi.executor.stats.skippedDraws, errors.length]).toEqual([1, 1]);
  });

  it('for a texture skips the passes that draw to it, and counts their draws', async () => {
    const { fake, rhi, context, errors, run, frame } = setUp();
    fake.failNextScope('no memory is left.', 'out-of-memory');
    const texture = context.createTexture({
      label: 'shadow map',
      width: 4096,
      height: 4096,
      format: 'rgba32float',
      usage: TextureUsage.renderAttachment,
    });
    await run();
    expect(errors.map(({ code, message }) => [code, message.includes('"shadow map"')])).toEqual([
      ['out-of-memory', true],
    ]);
    frame(1, texture, () => context.draw(3));
    context.clearTexture(texture);
    await run();
    expect([rhi.executor.stats.skippedDraws, errors.length]).toEqual([1, 1]);
  });
});

describe('a limit exceeded', () => {
  it('is an error at the creating call, which records nothing', async () => {
    const { context, errors, run } = setUp();
    const texture = { label: 'map', height: 4, format: 'rgba8unorm', usage: 1 } as const;
    expect(() => context.createTexture({ ...texture, width: 9000 })).toThrow(
      expect.objectContaining({ code: 'limit-exceeded' }),
    );
    expect(() => context.createBuffer({ label: 'huge', byteLength: 2 ** 40, usage: 8 })).toThrow(
      'The buffer "huge" has a byteLength of 1099511627776',
    );
    const live = context.handles.liveCount;
    expect([await run(), errors, live]).toEqual([[], [], 1]);
  });
});

describe('a shader that does not compile', () => {
  it('is reported, but its failed pipelines are not', async () => {
    const { fake, context, errors, run } = setUp();
    fake.failNextScope('the shader is invalid.');
    const module = context.createShaderModule({ label: 'broken', code: 'fn' });
    const good = context.createShaderModule({ label: 'good', code: 'fn' });
    const stage = { module, entryPoint: 'main' };
    const fragment = { ...stage, targets: [] };
    context.createGraphicsPipeline({ label: 'vertices', bindGroupLayouts: [], vertex: stage });
    context.createGraphicsPipeline({
      label: 'fragments',
      bindGroupLayouts: [],
      vertex: { ...stage, module: good },
      fragment,
    });
    context.createComputePipeline({ label: 'compute', bindGroupLayouts: [], compute: stage });
    context.createComputePipeline({
      label: 'other',
      bindGroupLayouts: [],
      compute: { ...stage, module: good },
    });
    context.destroy(module);
    await run();
    for (let i = 0; i < 4; i++) await fake.finishPipeline(new Error('it is invalid.'));
    expect(errors.map(({ code, message }) => `${code}: ${message.split('\n')[0]}`)).toEqual([
      'shader-compilation: The shader "broken" does not compile: line 2, column 3: unknown name',
      'pipeline-creation: The pipeline "other" could not be created: it is invalid. Its draws are left out.',
    ]);
  });
});

it('a creation that throws is reported once, even if its error scope has an error too', async () => {
  const { fake, context, errors, run } = setUp();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  fake.device.createShaderModule = () => {
    throw new TypeError('code is not a string.');
  };
  fake.failNextScope('odd.');
  context.createShaderModule({ label: 'shader', code: '' });
  await run();
  await new Promise((resolve) => setTimeout(resolve));
  process.off('unhandledRejection', note);
  expect([errors.map(({ code }) => code), unhandled]).toEqual([['command-refused'], []]);
});

import { describe, expect, it } from 'vitest';
import { BufferUsage } from '../../commands/descriptors.js';
import { createRhi } from '../../host/create-rhi.js';
import type { WebGpuExecutor } from '../executor.js';
import { createFakeDevice } from '../fake-device.test-support.js';

/** Creates an RHI whose read-backs have `maximumReadBackBytes` of staging memory, and a buffer to read. */
function setUp(maximumReadBackBytes: number) {
  const fake = createFakeDevice();
  const errors: { code: string; message: string }[] = [];
  const answers: [number, number][] = [];
  const rhi = createRhi({
    device: fake.device,
    surfaceFormat: 'rgba8unorm',
    maximumReadBackBytes,
    onError: (error) => errors.push(error as { code: string; message: string }),
    onReadback: (request, bytes) => answers.push([request, bytes.byteLength]),
  });
  const { context } = rhi;
  const source = context.createBuffer({ label: 'source', byteLength: 2048, usage: BufferUsage.copySource });
  const run = () => {
    context.publish();
    rhi.executor.pump();
    return fake.take();
  };
  const executor = rhi.executor as WebGpuExecutor;
  /** Returns the submissions, and the calls that concern blocks of the pool. */
  const blocks = (log: readonly string[]) => log.filter((line) => /read-back|submit/.test(line));
  return { fake, context, source, run, executor, errors, answers, blocks, rhi };
}

describe('M6 read-backs', () => {
  it('share blocks instead of creating a buffer for each read', async () => {
    const { fake, context, source, run, blocks, answers } = setUp(4096);
    const created: number[] = [];
    for (let frame = 0; frame < 3; frame++) {
      context.beginFrame(frame);
      context.readBuffer(frame, source, 0, 64);
      context.endFrame();
      created.push(blocks(run()).filter((line) => line.startsWith('createBuffer')).length);
      await fake.completeWork();
    }
    expect([created, answers.length]).toEqual([[1, 0, 0], 3]);
  });

  it('beyond the bound hold the list until earlier read-backs have returned their memory, and are answered in order', async () => {
    const { fake, context, source, run, blocks, executor, answers } = setUp(512);
    run();
    context.beginFrame(0);
    for (const request of [1, 2, 3]) context.readBuffer(request, source, 0, 256);
    context.endFrame();
    // The first two read-backs fill the pool. The commands up to them are submitted, so that their blocks can be
    // mapped. The third read-back waits.
    expect(blocks(run()).slice(-3)).toEqual(['submit 1', 'mapAsync read-back', 'mapAsync read-back']);
    expect([executor.submitted.value, executor.readBackBytes.now]).toEqual([0, 512]);
    await fake.completeWork();
    expect(blocks(fake.take())).toEqual([
      'unmap read-back',
      'unmap read-back',
      'copyBufferToBuffer source 0 read-back 0 256',
      'submit 1',
      'mapAsync read-back',
      'unmap read-back',
    ]);
    expect(answers).toEqual([
      [1, 256],
      [2, 256],
      [3, 256],
    ]);
    expect([executor.submitted.value, executor.readBackBytes.peak]).toEqual([1, 512]);
  });

  it('larger than the bound are reported with the buffer’s label, and answered without bytes', async () => {
    const { fake, context, source, run, errors, answers, rhi } = setUp(512);
    context.beginFrame(0);
    context.readBuffer(1, source, 0, 1024);
    const read = rhi.read(source, 0, 1024);
    context.endFrame();
    run();
    await fake.completeWork();
    await expect(read).rejects.toMatchObject({ code: 'staging-exhausted' });
    expect(answers).toEqual([[1, 0]]);
    expect(errors.map(({ code }) => code)).toEqual(['staging-exhausted']);
    expect(errors[0].message).toContain('"source"');
  });

  it('are reported instead of waiting while a canvas is drawn to, and wait after its drawing has ended', async () => {
    const { fake, context, source, run, errors, answers } = setUp(512);
    const canvas = context.createViewportTarget('canvas');
    context.beginFrame(0);
    context.beginDrawingViewport(canvas, 8, 8);
    context.beginRenderPass({
      label: 'pass',
      colorAttachments: [{ view: { texture: canvas }, loadOp: 'clear', storeOp: 'store' }],
    });
    context.endRenderPass();
    for (const request of [1, 2]) context.readBuffer(request, source, 0, 512);
    context.endDrawingViewport(canvas);
    context.readBuffer(3, source, 0, 512);
    context.endFrame();
    run();
    await fake.completeWork();
    expect(answers).toEqual([
      [2, 0],
      [1, 512],
      [3, 512],
    ]);
    expect(errors.map(({ code }) => code)).toEqual(['staging-exhausted']);
  });

  it('keep their memory until their bytes have arrived, even if the RHI is disposed of before', async () => {
    const { context, source, run, fake, rhi, executor } = setUp(512);
    context.beginFrame(0);
    context.readBuffer(1, source, 0, 256);
    context.endFrame();
    run();
    rhi.dispose();
    expect(executor.readBackBytes.now).toBe(256);
    await fake.completeWork();
    expect(executor.readBackBytes.now).toBe(0);
  });
});

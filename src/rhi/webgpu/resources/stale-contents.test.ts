import { describe, expect, it } from 'vitest';
import type { RhiError } from '../../../core/errors.js';
import { BufferUsage, ShaderStage, TextureUsage } from '../../commands/descriptors.js';
import { createRhi } from '../../host/create-rhi.js';
import { createFakeDevice } from '../fake-device.test-support.js';

const { storage, copySource, copyTarget } = BufferUsage;

/** Creates an RHI on a fake device, and resources for a dispatch that writes the buffer `result`. */
function setUp() {
  const fake = createFakeDevice();
  const errors: string[] = [];
  const rhi = createRhi({ device: fake.device, onError: (error) => errors.push((error as RhiError).code) });
  const { context } = rhi;
  const buffer = (label: string) =>
    context.createBuffer({ label, byteLength: 16, usage: storage | copySource | copyTarget });
  const [result, copy, input] = [buffer('result'), buffer('copy'), buffer('input')];
  const layout = context.createBindGroupLayout({
    label: 'layout',
    entries: [
      { binding: 0, visibility: ShaderStage.compute, buffer: { type: 'storage' } },
      { binding: 1, visibility: ShaderStage.compute, buffer: { type: 'read-only-storage' } },
    ],
  });
  const group = context.createBindGroup({
    label: 'group',
    layout,
    entries: [
      { binding: 0, buffer: result },
      { binding: 1, buffer: input },
    ],
  });
  const module = context.createShaderModule({ label: 'shader', code: 'one\n  two' });
  const pipeline = context.createComputePipeline({
    label: 'adder',
    bindGroupLayouts: [layout],
    compute: { module, entryPoint: 'main' },
  });
  let frame = 0;
  const dispatch = () => {
    context.beginFrame(++frame);
    context.beginComputePass({ label: 'adding' });
    context.setComputePipeline(pipeline);
    context.setBindGroup(0, group);
    context.dispatch(1);
    context.endComputePass();
    context.endFrame();
  };
  /** Returns the number of bytes that were read, or the code and message with which the read rejects. */
  const outcome = async (read: Promise<ArrayBuffer>): Promise<number | string> => {
    const settled = read.then(
      ({ byteLength }) => byteLength,
      ({ code, message }: RhiError) => `${code}: ${message}`,
    );
    for (let turn = 0; turn < 3; turn++) await fake.completeWork();
    return settled;
  };
  return { fake, rhi, context, errors, layout, result, copy, input, dispatch, outcome };
}

describe('a read of stale contents, because a command that writes them was left out', () => {
  it('rejects with the name of the pending pipeline, even in later frames and for copies', async () => {
    const { fake, rhi, context, result, copy, input, dispatch, outcome } = setUp();
    dispatch();
    const why =
      'because its contents are stale: a dispatch was left out, because its pipeline "adder" was still being created. Await whenPipelinesReady(), or begin the frame with FrameFlag.waitForPipelines.';
    const old = `readback-failed: The buffer "result" could not be read, ${why}`;
    await Promise.resolve();
    expect(await outcome(rhi.read(result))).toBe(old);
    context.copyBufferToBuffer(result, 0, copy, 0, 8);
    expect(await outcome(rhi.read(copy))).toBe(old.replace('result', 'copy'));
    expect(await outcome(rhi.read(input))).toBe(16);
    // A write of the whole buffer makes its contents current.
    context.writeBuffer(result, 0, new Uint8Array(16));
    expect(await outcome(rhi.read(result))).toBe(16);
    dispatch();
    context.clearBuffer(result, 0, 8);
    expect(await outcome(rhi.read(result))).toBe(old);
    context.clearBuffer(result, 0, 16);
    expect(await outcome(rhi.read(result))).toBe(16);
    await fake.finishPipeline();
    dispatch();
    expect(await outcome(rhi.read(result))).toBe(16);
    rhi.dispose();
  });

  it('rejects although the layout of the bind group was destroyed before the dispatch', async () => {
    const { rhi, context, layout, result, dispatch, outcome } = setUp();
    context.destroy(layout);
    dispatch();
    expect(await outcome(rhi.read(result))).toContain('its pipeline "adder" was still being created.');
    rhi.dispose();
  });

  it('rejects with the name of the failed pipeline', async () => {
    const { fake, rhi, errors, result, dispatch, outcome } = setUp();
    rhi.context.publish();
    rhi.executor.pump();
    await fake.finishPipeline(new Error('no such entry point'));
    dispatch();
    expect(await outcome(rhi.read(result))).toContain('its pipeline "adder" could not be created.');
    expect(errors).toEqual(['pipeline-creation']);
    rhi.dispose();
  });

  it('rejects for a texture after a draw of its pass was left out, until a pass clears the texture', async () => {
    const { rhi, context, outcome } = setUp();
    const target = context.createTexture({
      label: 'target',
      width: 1,
      height: 1,
      format: 'rgba8unorm',
      usage: TextureUsage.renderAttachment | TextureUsage.copySource,
    });
    const texels = context.createBuffer({ label: 'texels', byteLength: 256, usage: copySource | copyTarget });
    let frame = 10;
    const draw = (loadOp: 'clear' | 'load', count: number) => {
      context.beginFrame(++frame);
      context.beginRenderPass({
        label: 'main',
        colorAttachments: [{ view: { texture: target }, loadOp, storeOp: 'store' }],
      });
      for (let i = 0; i < count; i++) context.draw(3);
      context.endRenderPass();
      context.copyTextureToBuffer(target, texels, { width: 1, height: 1, bytesPerRow: 256 });
      context.endFrame();
      return outcome(rhi.read(texels));
    };
    const why = 'a draw of the pass "main" was left out, because no pipeline was set, or it was destroyed.';
    expect(await draw('clear', 1)).toContain(why);
    expect(await draw('load', 0)).toContain(why);
    expect(await draw('clear', 0)).toBe(256);
    rhi.dispose();
  });

  it('does not reject for a texture of an earlier pass because a draw in a compute pass was left out', async () => {
    const { rhi, context, outcome } = setUp();
    const target = context.createTexture({
      label: 'target',
      width: 1,
      height: 1,
      format: 'rgba8unorm',
      usage: TextureUsage.renderAttachment | TextureUsage.copySource,
    });
    const texels = context.createBuffer({ label: 'texels', byteLength: 256, usage: copySource | copyTarget });
    context.beginFrame(1);
    context.beginRenderPass({
      label: 'main',
      colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
    });
    context.endRenderPass();
    context.beginComputePass({ label: 'adding' });
    context.draw(3);
    context.endComputePass();
    context.copyTextureToBuffer(target, texels, { width: 1, height: 1, bytesPerRow: 256 });
    context.endFrame();
    expect(await outcome(rhi.read(texels))).toBe(256);
    rhi.dispose();
  });
});

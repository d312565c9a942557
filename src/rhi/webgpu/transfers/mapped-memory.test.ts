/**
 * Tests buffers whose `getMappedRange` throws after the mapping, because the buffer was destroyed or memory is
 * missing.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BufferUsage } from '../../commands/descriptors.js';
import { createRhi } from '../../host/create-rhi.js';
import { createFakeDevice } from '../fake-device.test-support.js';

/**
 * Creates an RHI on a device where `getMappedRange` throws for buffers with the label `gone`. A buffer that is mapped
 * at creation allows the first call.
 */
function setUp(gone: string, features: readonly string[] = []) {
  const fake = createFakeDevice(features);
  const { device } = fake;
  const { createBuffer } = device;
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer(descriptor);
    const { getMappedRange } = buffer;
    let isFirst = descriptor.mappedAtCreation === true;
    buffer.getMappedRange = (...range) => {
      if (descriptor.label !== gone || isFirst) {
        isFirst = false;
        return getMappedRange(...range);
      }
      throw new DOMException('The buffer is destroyed.', 'OperationError');
    };
    return buffer;
  };
  const errors: string[] = [];
  const readbacks: [number, number][] = [];
  const rhi = createRhi({
    device,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => errors.push((error as { code: string }).code),
    onReadback: (request, bytes) => readbacks.push([request, bytes.byteLength]),
  });
  return { fake, rhi, errors, readbacks };
}

/** Executes a list that reads 16 bytes back, as request 7. */
function requestRead({ context, executor }: ReturnType<typeof setUp>['rhi']): void {
  const buffer = context.createBuffer({ label: 'b', byteLength: 16, usage: BufferUsage.copySource });
  context.beginFrame(1);
  context.readBuffer(7, buffer, 0, 16);
  context.endFrame();
  context.publish();
  executor.pump();
}

// These tests also show that no rejection is unhandled, because Vitest fails at an unhandled rejection.
describe('inaccessible mapped memory', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('makes a read-back return zero bytes, and is reported', async () => {
    const { fake, rhi, errors, readbacks } = setUp('read-back');
    requestRead(rhi);
    await fake.completeWork();
    expect(errors).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000); // browsers would have reported a loss by now
    expect(errors).toEqual(['readback-failed']);
    expect(readbacks).toEqual([[7, 0]]);
  });

  // Chromium reports the loss of the device first. Firefox refuses the mapping and counts the work as done, and
  // reports the loss up to 200 ms later.
  it.each(['before', 'after'])('reports only the loss, if it arrives %s the refusal', async (order) => {
    const { fake, rhi, errors, readbacks } = setUp('read-back');
    requestRead(rhi);
    if (order === 'before') await fake.lose('gone');
    await fake.completeWork();
    await vi.advanceTimersByTimeAsync(200);
    if (order === 'after') {
      expect(readbacks).toEqual([]);
      await fake.lose('gone');
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(errors).toEqual(['device-lost']);
    expect(readbacks).toEqual([[7, 0]]);
    expect(rhi.completed.error).toMatchObject({ code: 'device-lost' });
  });

  it('reports only the loss if a busy machine reports it seconds after the refusal', async () => {
    const { fake, rhi, errors, readbacks } = setUp('read-back');
    const { createBuffer } = fake.device;
    fake.device.createBuffer = (descriptor) => {
      const buffer = createBuffer(descriptor);
      // The device is lost already, so it maps no buffer.
      buffer.mapAsync = () => Promise.reject(new DOMException('The device is lost.', 'AbortError'));
      return buffer;
    };
    requestRead(rhi);
    await fake.completeWork();
    await vi.advanceTimersByTimeAsync(20_000);
    expect([errors, readbacks]).toEqual([[], []]);
    await fake.lose('gone');
    await vi.advanceTimersByTimeAsync(1000);
    expect(errors).toEqual(['device-lost']);
    expect(readbacks).toEqual([[7, 0]]);
  });

  it('reports the refusal if the device neither is lost nor creates another buffer', async () => {
    const { fake, rhi, errors, readbacks } = setUp('read-back');
    const { context } = rhi;
    const buffer = context.createBuffer({ label: 'b', byteLength: 16, usage: BufferUsage.copySource });
    context.beginFrame(1);
    context.readBuffer(7, buffer, 0, 16);
    context.endFrame();
    context.publish();
    rhi.executor.pump();
    fake.device.createBuffer = () => {
      throw new RangeError('Out of memory.');
    };
    await fake.completeWork();
    await vi.advanceTimersByTimeAsync(2000);
    expect([errors, readbacks]).toEqual([['readback-failed'], [[7, 0]]]);
  });

  it('causes no error in an upload page or in a read-back of GPU times', async () => {
    for (const gone of ['upload page', 'frame time read-back']) {
      const { fake, rhi, errors } = setUp(gone, ['timestamp-query']);
      const { context } = rhi;
      const usage = BufferUsage.copySource | BufferUsage.copyTarget;
      const [a, b] = ['a', 'b'].map((label) => context.createBuffer({ label, byteLength: 16, usage }));
      for (let frame = 1; frame < 4; frame++) {
        context.beginFrame(frame);
        context.beginComputePass({ label: 'measured' });
        context.endComputePass();
        context.copyBufferToBuffer(a!, 0, b!, 0, 4);
        context.writeBuffer(a!, 0, Uint32Array.of(1));
        context.endFrame();
        context.publish();
        rhi.executor.pump();
        await fake.completeWork();
      }
      expect(errors).toEqual([]);
      expect(rhi.completed.value).toBe(3);
      expect(rhi.executor.stats.gpuMs).toBe(gone === 'upload page' ? 0 : null);
    }
  });
});

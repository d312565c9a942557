import { afterEach, describe, expect, it } from 'vitest';
import type { PortLike } from '../core/carrier.js';
import type { RhiError } from '../core/errors.js';
import type { ExecutionOptions } from './create-rhi.js';
import { BufferUsage } from './descriptors.js';
import { connectRhi, type RemoteRhi, serveRhi } from './two-threads.js';
import { validate } from './validation/validate.js';
import { createFakeDevice } from './webgpu/fake-device.js';

const buffer = { label: 'numbers', byteLength: 16, usage: BufferUsage.copyTarget };
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: RhiError) => error.code,
  );
const open: RemoteRhi[] = [];

/** Both sides on one thread, with real ports between them. */
async function setUp(options: Partial<ExecutionOptions> = {}, shared = false) {
  const { port1, port2 } = new MessageChannel();
  const errors: RhiError[] = [];
  const answers: [number, number][] = [];
  const served = serveRhi(port2 as PortLike, { device: null, onError: ignore, ...options });
  const rhi = await connectRhi(port1 as PortLike, {
    shared,
    maxFramesInFlight: 3,
    onError: (error) => errors.push(error as RhiError),
    onReadback: (request, bytes) => answers.push([request, bytes.byteLength]),
  });
  open.push(rhi);
  return { rhi, errors, answers, ...(await served) };
}

const ignore = (): void => {};
afterEach(async () => {
  for (const rhi of open.splice(0)) await rhi.dispose();
});

describe.each([false, true])('the RHI over two ports, pages shared: %s', (shared) => {
  it('says when a frame is complete, and answers reads before', async () => {
    const { rhi, errors, answers } = await setUp({}, shared);
    const events: string[] = [];
    rhi.context.beginFrame(4);
    const handle = rhi.context.createBuffer(buffer);
    rhi.context.readBuffer(7, handle, 0, 4);
    rhi.read(handle).then(({ byteLength }) => events.push(`read ${byteLength}`));
    rhi.context.endFrame();
    await rhi.whenCompleted(4).then(() => events.push('completed'));
    expect(events).toEqual(['read 16', 'completed']);
    expect([answers, errors]).toEqual([[[7, 4]], []]);
    expect(rhi.capabilities.backend).toBe('null');
    expect((await rhi.read(handle, 4, 4)).byteLength).toBe(4);
    await rhi.flush();
    expect([rhi.submitted.value, rhi.completed.value]).toEqual([1, 1]);
  });

  it('reports leaks at dispose, also of what no frame has ended', async () => {
    const { rhi } = await setUp({}, shared);
    rhi.context.beginFrame(1);
    rhi.context.createBuffer(buffer);
    rhi.context.endFrame();
    expect(() => rhi.whenCompleted(2)).toThrow(expect.objectContaining({ code: 'frame-number' }));
    rhi.context.beginFrame(2);
    const waiting = codeOf(rhi.whenCompleted(2));
    expect(await open.pop()?.dispose()).toEqual({
      leaks: [{ kind: 'buffer', label: 'numbers', createdInFrame: 1 }],
    });
    expect(await waiting).toBe('executor-disposed');
    expect(() => rhi.context.createBuffer(buffer)).toThrow(expect.objectContaining({ code: 'rhi-disposed' }));
    expect(await codeOf(rhi.flush())).toBe('rhi-disposed');
  });
});

describe('over two threads', () => {
  it('errors of execution and of validation come to the recording side', async () => {
    const { rhi, errors } = await setUp({ validation: validate });
    rhi.context.beginFrame(0);
    rhi.context.draw(3);
    rhi.context.endFrame();
    await rhi.flush();
    expect(errors.map(({ code }) => code)).toEqual(['command-outside-pass']);
  });

  it('the recorder says how many frames may be in flight, and slips are thrown at its calls', async () => {
    const { device, completeWork } = createFakeDevice();
    const { rhi, executor } = await setUp({ device });
    for (const frame of [0, 1, 2, 3]) {
      rhi.context.beginFrame(frame);
      rhi.context.endFrame();
    }
    await rhi.submitted.whenReached(3);
    expect(executor.submitted.value).toBe(3);
    for (let i = 0; i < 4; i++) await completeWork();
    await rhi.whenCompleted(3);
    expect(() => rhi.context.createBuffer({ ...buffer, byteLength: 2 ** 40 })).toThrow(/this device allows/);
  });

  it('a lost device rejects what waits there', async () => {
    const fake = createFakeDevice();
    const { rhi } = await setUp({ device: fake.device });
    const told = new Promise((_, reject) => {
      rhi.onError = reject;
    });
    rhi.context.beginFrame(0);
    const handle = rhi.context.createBuffer(buffer);
    const waits = [codeOf(rhi.whenCompleted(0)), codeOf(rhi.read(handle))];
    await fake.lose('gone');
    expect(await Promise.all([...waits, codeOf(told)])).toEqual(Array(3).fill('device-lost'));
  });

  it('both sides learn of a device that will not do', async () => {
    const { port1, port2 } = new MessageChannel();
    const requiredCapabilities = { 'timestamp-query': 1 };
    const served = codeOf(serveRhi(port2 as PortLike, { device: null, requiredCapabilities }));
    expect(await codeOf(connectRhi(port1 as PortLike, { maxFramesInFlight: 9 }))).toBe(
      'bad-frames-in-flight',
    );
    expect(await codeOf(connectRhi(port1 as PortLike))).toBe('capability-missing');
    expect(await served).toBe('capability-missing');
    port1.close();
  });
});

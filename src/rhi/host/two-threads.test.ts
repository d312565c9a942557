import { afterEach, describe, expect, it, vi } from 'vitest';
import { PlatformError, type RhiError } from '../../core/errors.js';
import type { PortLike } from '../../core/streams/carrier.js';
import { PortMessageKind } from '../../core/streams/port-messages.js';
import { waitFor } from '../../core/testing/wait-for.js';
import { BufferUsage } from '../commands/descriptors.js';
import { nullCapabilities } from '../null/executor.js';
import { validate } from '../validation/validate.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import type { ExecutionOptions } from './create-rhi.js';
import { connectRhi, type RemoteRhi, serveRhi } from './two-threads.js';

const buffer = { label: 'numbers', byteLength: 16, usage: BufferUsage.copyTarget };
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: RhiError) => error.code,
  );
const open: RemoteRhi[] = [];

/** Connects a recording and an executing side on one thread, with real ports between them. */
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
  vi.unstubAllGlobals();
  for (const rhi of open.splice(0)) await rhi.dispose();
});

const unreadable = new MessageEvent('messageerror');

describe('messages that the browser could not read', () => {
  it('reject a connection that is not complete, on either side', async () => {
    const lost = expect.objectContaining({ code: 'message-lost' });
    const near = new MessageChannel();
    const connecting = connectRhi(near.port1 as PortLike);
    near.port1.onmessageerror?.(unreadable);
    await expect(connecting).rejects.toEqual(lost);
    const far = new MessageChannel();
    far.port1.onmessage = () => {};
    void serveRhi(far.port2 as PortLike, { device: null });
    const told = new Promise((resolve) => (far.port1.onmessage = ({ data }) => resolve(data)));
    far.port2.onmessageerror?.(unreadable);
    expect(await told).toMatchObject({ isFatal: true, error: { code: 'message-lost' } });
    for (const port of [near.port2, far.port1, far.port2]) port.close();
  });

  it('are reported to the recording side, which continues', async () => {
    const { port1, port2 } = new MessageChannel();
    const errors: RhiError[] = [];
    void serveRhi(port2 as PortLike, { device: null });
    const rhi = await connectRhi(port1 as PortLike, { onError: (error) => errors.push(error as RhiError) });
    open.push(rhi);
    port1.onmessageerror?.(unreadable);
    port2.onmessageerror?.(unreadable);
    await waitFor(() => expect(errors.map(({ code }) => code)).toEqual(['message-lost', 'message-lost']));
    await rhi.flush();
  });

  it.each([
    ['a worker posts shared memory after the hello of the reader', undefined, 0],
    ['a page posts shared memory at once', {}, 1],
  ])('%s', async (_, document, posted) => {
    vi.stubGlobal('document', document);
    const { port1, port2 } = new MessageChannel();
    let stream: MessagePort | undefined;
    const memories: unknown[] = [];
    port2.onmessage = ({ data }) => {
      if (!data.stream) return;
      stream = data.stream;
      stream!.onmessage = ({ data: message }) => memories.push(message);
      port2.postMessage({ capabilities: nullCapabilities() });
    };
    const connected = await connectRhi(port1 as PortLike, { shared: true, disposeMilliseconds: 1 });
    const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    const isPosted = () => expect(memories).toHaveLength(1);
    await (posted ? waitFor(isPosted) : turn());
    expect(memories).toHaveLength(posted);
    stream!.postMessage(PortMessageKind.hello);
    await waitFor(isPosted);
    await connected.dispose().catch(ignore);
    for (const port of [stream, port2]) port!.close();
  });
});

describe.each([false, true])('the RHI over two ports, pages shared: %s', (shared) => {
  it('reports completed frames, and answers their reads before', async () => {
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

  it('L9 reports leaks at dispose, also with a frame that was not ended', async () => {
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
  it('sends errors of execution and of validation to the recording side', async () => {
    const { rhi, errors } = await setUp({ validation: validate });
    rhi.context.beginFrame(0);
    rhi.context.draw(3);
    rhi.context.endFrame();
    await rhi.flush();
    expect(errors.map(({ code }) => code)).toEqual(['command-outside-pass']);
  });

  it('takes the number of frames in flight from the recorder, whose calls check the device’s limits', async () => {
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

  it('rejects the recorder’s waiting promises when the device is lost', async () => {
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

  it('reports an unsuitable device to both sides', async () => {
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

  it('refuses values that are no port, and listeners that are no functions, before anything starts', async () => {
    const { port1 } = new MessageChannel();
    for (const nothing of [undefined, {}, 5]) {
      expect(await codeOf(connectRhi(nothing as never))).toBe('port-missing');
      expect(await codeOf(serveRhi(nothing as never, { device: null }))).toBe('port-missing');
    }
    const refusal = connectRhi(port1 as PortLike, { onError: 5 as never });
    await expect(refusal).rejects.toThrow(
      'The option "onError" of connectRhi is 5; it has to be a function.',
    );
    port1.close();
  });

  it('L9 resolves a second dispose with the same report', async () => {
    const { rhi } = await setUp();
    rhi.context.beginFrame(0);
    rhi.context.createBuffer(buffer);
    rhi.context.endFrame();
    const [first, second] = [rhi.dispose(), rhi.dispose()];
    expect(await second).toEqual({ leaks: [{ kind: 'buffer', label: 'numbers', createdInFrame: 0 }] });
    expect(await rhi.dispose()).toBe(await first);
  });

  it('rejects waiting promises when the thread ends, calls onError once, and leaves nothing to dispose of', async () => {
    const { port1, port2 } = new MessageChannel();
    const errors: string[] = [];
    const served = serveRhi(port2 as PortLike, { device: createFakeDevice().device, onError: ignore });
    const rhi = await connectRhi(port1 as PortLike, {
      onError: (error) => errors.push((error as RhiError).code),
    });
    await served;
    rhi.context.beginFrame(0);
    const handle = rhi.context.createBuffer(buffer);
    const waits = [rhi.whenCompleted(0), rhi.read(handle), rhi.flush(), rhi.completed.whenReached(1)].map(
      codeOf,
    );
    rhi.context.endFrame();
    waits.push(codeOf(rhi.flush()));
    port2.close(); // The same happens when the worker is terminated.
    expect(await Promise.all(waits.slice(0, 2))).toEqual(Array(2).fill('rhi-thread-gone'));
    expect(await waits[3]).toBe('rhi-thread-gone');
    expect(await waits[4]).toBe('rhi-thread-gone');
    expect(errors).toEqual(['rhi-thread-gone']);
    expect(() => rhi.context.beginFrame(1)).toThrow(expect.objectContaining({ code: 'rhi-thread-gone' }));
    expect(await rhi.dispose()).toEqual({ leaks: [] });
    expect(errors).toHaveLength(1);
  });

  it('stops waiting for a thread that ends during dispose or connectRhi', async () => {
    const { port1, port2 } = new MessageChannel();
    const connecting = codeOf(connectRhi(port1 as PortLike));
    port2.close();
    expect(await connecting).toBe('rhi-thread-gone');
    const other = new MessageChannel();
    const served = serveRhi(other.port2 as PortLike, { device: createFakeDevice().device, onError: ignore });
    const rhi = await connectRhi(other.port1 as PortLike, { onError: ignore });
    await served;
    rhi.context.beginFrame(0);
    rhi.context.endFrame();
    const disposing = rhi.dispose(); // The frame never completes.
    other.port2.close();
    expect(await disposing).toEqual({ leaks: [] });
  });

  it('rejects dispose and waiting promises if the executing thread stays silent for too long', async () => {
    const { port1, port2 } = new MessageChannel();
    const served = serveRhi(port2 as PortLike, { device: createFakeDevice().device, onError: ignore });
    const rhi = await connectRhi(port1 as PortLike, { disposeMilliseconds: 0, onError: ignore });
    await served;
    rhi.context.beginFrame(0);
    rhi.context.endFrame();
    const frame = codeOf(rhi.whenCompleted(0)); // The GPU never finishes the frame.
    expect(await codeOf(rhi.dispose())).toBe('wait-timed-out');
    expect(await frame).toBe('wait-timed-out');
    expect(await codeOf(connectRhi(port1 as PortLike, { disposeMilliseconds: Number.NaN }))).toBe(
      'option-invalid',
    );
  });

  it('rejects connectRhi with the error that kept the other side from getting a device', async () => {
    const { port1, port2 } = new MessageChannel();
    const missing = new PlatformError('adapter-missing', 'There is no adapter.');
    const served = codeOf(serveRhi(port2 as PortLike, Promise.reject(missing)));
    await expect(connectRhi(port1 as PortLike)).rejects.toMatchObject({
      name: 'PlatformError',
      code: 'adapter-missing',
      message: 'There is no adapter.',
    });
    expect(await served).toBe('adapter-missing');
  });

  it('accepts a promise of the options', async () => {
    const { port1, port2 } = new MessageChannel();
    serveRhi(port2 as PortLike, Promise.resolve({ device: null, onError: ignore }));
    const rhi = await connectRhi(port1 as PortLike);
    open.push(rhi);
    expect(rhi.capabilities.backend).toBe('null');
  });
});

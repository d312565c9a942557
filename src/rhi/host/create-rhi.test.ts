import { describe, expect, it, vi } from 'vitest';
import { RhiError } from '../../core/errors.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import { BufferUsage } from '../commands/descriptors.js';
import { BufferMapping } from '../mapping/buffer-mapping.js';
import { QueryReadback } from '../record/query-readback.js';
import { validate } from '../validation/validate.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import type { WrapperTools } from './compose-execution.js';
import { createRhi, type RhiOptions } from './create-rhi.js';

const buffer = { label: 'numbers', byteLength: 16, usage: BufferUsage.copyTarget | BufferUsage.copySource };
const codeOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => 'none',
    (error: RhiError) => error.code,
  );

const nextTask = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Runs `work`, and waits for one more task. Returns the reasons of unhandled rejections in that time. Without the
 * listener, Node would end the process.
 */
async function unhandledDuring(work: () => Promise<void>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listener);
  try {
    await work();
    await nextTask();
  } finally {
    process.off('unhandledRejection', listener);
  }
  return unhandled;
}

describe('createRhi', () => {
  it('executes its context’s records on the null backend, and reports completed frames', async () => {
    const rhi = createRhi({ device: null });
    rhi.context.beginFrame(7);
    const handle = rhi.context.createBuffer(buffer);
    rhi.context.writeBuffer(handle, 0, new Uint32Array(4));
    rhi.context.endFrame();
    await rhi.flush();
    await rhi.whenCompleted(7);
    expect([rhi.submitted.value, rhi.completed.value]).toEqual([1, 1]);
    expect(rhi.executor.stats).toMatchObject({ frame: 7, uploadBytes: 16, liveResources: 1 });
    expect(rhi.capabilities.backend).toBe('null');
  });

  it('counts a frame as completed when the GPU has finished its list, with any frame numbers', async () => {
    const fake = createFakeDevice();
    const rhi = createRhi({ device: fake.device });
    const completed: number[] = [];
    for (const frame of [4, 9]) {
      rhi.context.beginFrame(frame);
      rhi.context.endFrame();
      rhi.context.publish();
      rhi.whenCompleted(frame).then(() => completed.push(frame));
    }
    rhi.executor.pump();
    expect([rhi.submitted.value, rhi.completed.value]).toEqual([2, 0]);
    await fake.completeWork();
    expect(completed).toEqual([4]);
    await fake.completeWork();
    expect(completed).toEqual([4, 9]);
  });

  it.each(['WebGPU', 'null'])(
    'L2 on %s, flush frees destroyed resources without a further frame',
    async (backend) => {
      const fake = backend === 'null' ? null : createFakeDevice();
      const rhi = createRhi({ device: fake?.device ?? null });
      const { context, executor } = rhi;
      context.beginFrame(0);
      context.endFrame();
      for (let i = 0; i < 4; i++) {
        context.destroy(context.createBuffer(buffer));
        const flushed = rhi.flush();
        for (let i = 0; i < 3; i++) await fake?.completeWork();
        await flushed;
        expect([executor.stats.liveResources, executor.stats.pendingReleases]).toEqual([0, 0]);
        if (fake)
          expect(fake.take().filter((line) => line.startsWith('destroy'))).toEqual(['destroy numbers']);
      }
    },
  );

  it('holds a frame beyond maxFramesInFlight', async () => {
    const fake = createFakeDevice();
    const rhi = createRhi({ device: fake.device, maxFramesInFlight: 1 });
    for (const frame of [0, 1]) {
      rhi.context.beginFrame(frame);
      rhi.context.endFrame();
    }
    rhi.context.publish();
    rhi.executor.pump();
    expect(rhi.submitted.value).toBe(1);
    await fake.completeWork();
    expect(rhi.submitted.value).toBe(2);
  });

  it('H10 refuses a device without a required feature, and names the feature', () => {
    const requiredCapabilities = { 'timestamp-query': 1 };
    expect(() => createRhi({ device: null, requiredCapabilities })).toThrow(
      expect.objectContaining({
        code: 'capability-missing',
        message: expect.stringContaining('timestamp-query'),
      }),
    );
  });

  it('throws for an exceeded limit at the creating call, and allocates no handle', () => {
    const { context } = createRhi({ device: null });
    const code = 'limit-exceeded';
    const texture = { label: 'sky', width: 9000, height: 1, format: 'rgba8unorm', usage: 4 } as const;
    const attempts: Readonly<Record<string, () => unknown>> = {
      sky: () => context.createTexture(texture),
      vast: () => context.createBuffer({ ...buffer, label: 'vast', byteLength: 2 ** 31 }),
      queries: () => context.createQuerySet({ label: 'queries', type: 'occlusion', count: 5000 }),
    };
    for (const [label, attempt] of Object.entries(attempts)) {
      expect(attempt).toThrow(
        expect.objectContaining({ code, message: expect.stringContaining(`"${label}"`) }),
      );
    }
    expect(context.handles.liveCount).toBe(0);
  });

  it.each([0, 9, 1.5])('refuses %s frames in flight', (maxFramesInFlight) => {
    expect(() => createRhi({ device: null, maxFramesInFlight })).toThrow(/whole number from 1 to 8/);
  });

  it('reads a buffer back as a promise, and leaves other requests to onReadback', async () => {
    const onReadback = vi.fn();
    const rhi = createRhi({ device: null, onReadback });
    const handle = rhi.context.createBuffer(buffer);
    rhi.context.readBuffer(5, handle, 0, 4);
    const bytes = rhi.read(handle, 4, 8);
    await rhi.flush();
    expect((await bytes).byteLength).toBe(8);
    expect(onReadback.mock.calls.map(([request, { byteLength }]) => [request, byteLength])).toEqual([[5, 4]]);
  });

  it('rejects a refused read when its frame completes, without an unhandled rejection if the promise is dropped', async () => {
    const errors: RhiError[] = [];
    const fake = createFakeDevice();
    vi.spyOn(fake.device, 'createBuffer').mockImplementationOnce(() => {
      throw new RangeError('too big');
    });
    const rhi = createRhi({ device: fake.device, onError: (error) => errors.push(error as RhiError) });
    const unhandled = await unhandledDuring(async () => {
      rhi.context.beginFrame(0);
      const handle = rhi.context.createBuffer(buffer);
      const read = rhi.read(handle);
      rhi.context.endFrame();
      const flushed = rhi.flush();
      await fake.completeWork();
      await fake.completeWork();
      await flushed;
      await nextTask();
      expect(await codeOf(read)).toBe('readback-failed');
    });
    expect(errors[0].code).toBe('resource-creation');
    expect(unhandled).toEqual([]);
  });

  it('rejects five kinds of waiting promises at dispose, without an unhandled rejection if they are dropped', async () => {
    const unhandled = await unhandledDuring(async () => {
      const rhi = createRhi({ device: createFakeDevice().device });
      rhi.context.beginFrame(0);
      const handle = rhi.context.createBuffer(buffer);
      const mapping = new BufferMapping(rhi);
      const waits = [
        rhi.whenCompleted(0),
        rhi.read(handle),
        mapping.map(handle, 'read'),
        new QueryReadback(rhi, { label: 'samples', type: 'occlusion', count: 1 }).read(),
      ];
      rhi.context.endFrame();
      waits.push(rhi.flush());
      rhi.dispose();
      await nextTask();
      expect(await Promise.all(waits.map(codeOf))).toEqual(Array(5).fill('executor-disposed'));
      expect(await codeOf(rhi.read(handle))).toBe('executor-disposed');
    });
    expect(unhandled).toEqual([]);
  });

  it('publishes automatically at the end of the task, after a frame and after a read between frames', async () => {
    const rhi = createRhi({ device: null });
    rhi.context.beginFrame(0);
    const handle = rhi.context.createBuffer(buffer);
    rhi.context.endFrame();
    expect(rhi.submitted.value).toBe(0);
    await rhi.whenCompleted(0);
    expect((await rhi.read(handle)).byteLength).toBe(16);
    expect(() => rhi.whenCompleted(Number.NaN)).toThrow(expect.objectContaining({ code: 'frame-number' }));
  });

  it('reports no error if it is disposed of before its frame is published', async () => {
    const onError = vi.fn();
    const rhi = createRhi({ device: null, onError });
    rhi.context.beginFrame(0);
    rhi.context.endFrame();
    rhi.dispose();
    await nextTask();
    expect(onError).not.toHaveBeenCalled();
  });

  it.each([
    [1, 4],
    [0, 3],
    [-4, 4],
    [12, 8],
    [16, undefined],
    [0, 0],
    [0, Number.NaN],
  ])(
    'throws for a read from %s of %s bytes at the call, without calling onError',
    (byteOffset, byteLength) => {
      const onError = vi.fn();
      const rhi = createRhi({ device: null, onError });
      const handle = rhi.context.createBuffer(buffer);
      expect(() => rhi.read(handle, byteOffset, byteLength)).toThrow(
        expect.objectContaining({
          code: 'out-of-range',
          message: expect.stringContaining('"numbers" of 16'),
        }),
      );
      expect(onError).not.toHaveBeenCalled();
    },
  );

  it('reports a mistake once, but not the invalid command buffer that results from it', () => {
    const fake = createFakeDevice();
    const listen = vi.spyOn(fake.device, 'addEventListener');
    const messages: string[] = [];
    createRhi({ device: fake.device, onError: (error) => messages.push((error as RhiError).message) });
    const [, listener] = listen.mock.calls.find(([name]) => name === 'uncapturederror') ?? [];
    const raise = (message: string) => (listener as (event: unknown) => void)({ error: { message } });
    const followUp = '[Invalid CommandBuffer] is invalid due to a previous error.';
    raise('Vertex range (first: 0, count: 9) exceeds the buffer.');
    raise(followUp);
    expect(messages).toEqual([expect.stringContaining('Vertex range')]);
    messages.length = 0;
    const alone = createFakeDevice();
    const listenAlone = vi.spyOn(alone.device, 'addEventListener');
    createRhi({ device: alone.device, onError: (error) => messages.push((error as RhiError).message) });
    (listenAlone.mock.calls[0]![1] as (event: unknown) => void)({ error: { message: followUp } });
    expect(messages).toEqual([expect.stringContaining(followUp)]);
  });

  it('reports a missing device; only null selects the backend without a GPU', () => {
    for (const options of [{}, { device: undefined }]) {
      expect(() => createRhi(options as unknown as RhiOptions)).toThrow(
        expect.objectContaining({ code: 'device-option', message: expect.stringContaining('or null') }),
      );
    }
  });

  it('provides wrappers with tools to check and report like the executor', async () => {
    const errors: unknown[] = [];
    const answers: number[] = [];
    let tools: WrapperTools | undefined;
    const rhi = createRhi({
      device: null,
      onError: (error) => errors.push(error),
      onReadback: (request) => answers.push(request),
      wrapReader: (reader, given) => {
        tools = given;
        return reader;
      },
    });
    rhi.context.beginFrame(0);
    rhi.context.endFrame();
    await rhi.flush();
    expect(tools?.capabilities).toBe(rhi.capabilities);
    expect(tools?.completedFrames()).toBe(1);
    tools?.onReadback(3, new ArrayBuffer(0));
    const slip = new RhiError('slip', 'A slip.');
    tools?.onError(slip);
    expect([answers, errors]).toEqual([[3], [slip]]);
  });

  it('validates if `validation` is given, and answers reads that validation refuses', async () => {
    const errors: RhiError[] = [];
    const rhi = createRhi({
      device: null,
      validation: validate,
      onError: (error) => errors.push(error as RhiError),
    });
    const handle = rhi.context.createBuffer(buffer);
    rhi.context.beginFrame(0);
    rhi.context.draw(3);
    rhi.context.beginComputePass({ label: 'work' });
    const read = codeOf(rhi.read(handle));
    rhi.context.endComputePass();
    rhi.context.endFrame();
    await rhi.flush();
    expect(await read).toBe('readback-failed');
    expect(errors.map(({ code }) => code)).toEqual(['command-outside-pass', 'command-inside-pass']);
  });

  it('rejects waits for frames and reads with the error that lost the device', async () => {
    const errors: RhiError[] = [];
    const fake = createFakeDevice();
    const rhi = createRhi({ device: fake.device, onError: (error) => errors.push(error as RhiError) });
    rhi.context.beginFrame(0);
    const handle = rhi.context.createBuffer(buffer);
    const waits = [codeOf(rhi.whenCompleted(0)), codeOf(rhi.read(handle, 0, 8))];
    rhi.context.endFrame();
    await fake.lose('gone');
    expect(await Promise.all(waits)).toEqual(['device-lost', 'device-lost']);
    expect(errors.map(({ code }) => code)).toEqual(['device-lost']);
    expect(await codeOf(rhi.read(handle, 0, 8))).toBe('device-lost');
  });

  it('puts the wrapper between the stream and the executor', async () => {
    const opcodes: number[] = [];
    const rhi = createRhi({
      device: null,
      wrapReader: (reader) =>
        new Proxy(reader, {
          get(target, key) {
            if (key !== 'next') return Reflect.get(target, key, target);
            return () => {
              const isThere = target.next();
              if (isThere) opcodes.push(target.opcode);
              return isThere;
            };
          },
          set: (target, key, value) => Reflect.set(target, key, value, target),
        }),
    });
    rhi.context.beginFrame(0);
    rhi.context.endFrame();
    await rhi.flush();
    expect(opcodes).toEqual([1, 2]);
  });

  it('lets a wrapper that is a Proxy see every draw, even in passes that repeat', async () => {
    let draws = 0;
    const watch = (reader: StreamReader): StreamReader =>
      new Proxy(reader, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key, target);
          if (key !== 'next') return typeof value === 'function' ? value.bind(target) : value;
          return () => {
            const isThere = target.next();
            if (isThere && target.opcode === RhiOpcode.draw) draws++;
            return isThere;
          };
        },
        set: (target, key, value) => Reflect.set(target, key, value, target),
      });
    const rhi = createRhi({ device: createFakeDevice().device, maxFramesInFlight: 8, wrapReader: watch });
    const target = rhi.context.createTexture({
      ...{ label: 'target', width: 4, height: 4, format: 'rgba8unorm', usage: 0x10 },
    });
    const pass = {
      label: 'main',
      colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
    } as const;
    for (let frame = 0; frame < 6; frame++) {
      rhi.context.beginFrame(frame);
      rhi.context.beginRenderPass(pass);
      for (let i = 0; i < 5; i++) rhi.context.draw(3);
      rhi.context.endRenderPass();
      rhi.context.endFrame();
    }
    rhi.context.publish();
    rhi.executor.pump();
    expect(draws).toBe(30);
  });

  it('L9 reports leaked resources at dispose, with label and creation frame', () => {
    const rhi = createRhi({ device: null });
    rhi.context.beginFrame(3);
    const destroyed = rhi.context.createBuffer({ ...buffer, label: 'tidy' });
    rhi.context.createBuffer({ ...buffer, label: 'forgotten' });
    rhi.context.destroy(destroyed);
    rhi.context.endFrame();
    expect(rhi.dispose()).toEqual({ leaks: [{ kind: 'buffer', label: 'forgotten', createdInFrame: 3 }] });
    expect(rhi.dispose()).toEqual({ leaks: [] });
  });

  it('refuses to wait for a frame that was never begun, and waits for a frame that is open', async () => {
    const rhi = createRhi({ device: null });
    const refusal = (frame: number) =>
      expect(() => rhi.whenCompleted(frame)).toThrow(
        expect.objectContaining({
          code: 'frame-number',
          message: `Frame ${frame} was not begun. Wait for a frame that was begun.`,
        }),
      );
    refusal(0);
    refusal(999);
    await rhi.whenCompleted(-1); // A loop that stays one frame behind waits for frame −1 first.
    rhi.context.beginFrame(4);
    const open = rhi.whenCompleted(4);
    const skipped = rhi.whenCompleted(2);
    refusal(5);
    rhi.context.endFrame();
    await Promise.all([open, skipped]);
    refusal(5);
  });

  it.each([null, createFakeDevice().device])('throws rhi-disposed at calls after dispose', async (device) => {
    const rhi = createRhi({ device });
    const { context } = rhi;
    context.beginFrame(0);
    const handle = context.createBuffer(buffer);
    rhi.dispose();
    const disposed = expect.objectContaining({
      code: 'rhi-disposed',
      message: 'The RHI was disposed of, so it records no more commands. Create another RHI.',
    });
    for (let i = 0; i < 2; i++) {
      expect(() => context.createBuffer(buffer)).toThrow(disposed);
      expect(() => context.writeBuffer(handle, 0, new Uint32Array(1))).toThrow(disposed);
      expect(() => context.publish()).toThrow(disposed);
      await expect(rhi.flush()).rejects.toEqual(disposed);
      await nextTask();
    }
  });

  it('rejects waiting promises when it is disposed of', async () => {
    const rhi = createRhi({ device: null });
    rhi.context.beginFrame(0);
    const wait = codeOf(rhi.whenCompleted(0));
    rhi.dispose();
    expect(await wait).toBe('executor-disposed');
  });
});

describe('H3 bypass', () => {
  it('executes each command in the call that records it', () => {
    const fake = createFakeDevice();
    const { context } = createRhi({ device: fake.device, bypass: true });
    context.beginFrame(0);
    fake.take();
    context.createBuffer(buffer);
    expect(fake.take()).toEqual(expect.arrayContaining(['createBuffer numbers']));
    context.beginComputePass({ label: 'work' });
    expect(fake.take().join()).toContain('beginComputePass');
  });

  it('throws an error of execution at the call that caused it, and continues', () => {
    const onError = vi.fn();
    const { context, executor } = createRhi({ device: null, bypass: true, onError });
    context.beginFrame(0);
    const handle = context.createBuffer(buffer);
    context.destroy(handle);
    expect(() => context.writeBuffer(handle, 0, new Uint32Array(1))).toThrow(
      expect.objectContaining({ code: 'stale-handle' }),
    );
    context.endFrame();
    expect(executor.submitted.value).toBe(1);
    expect(onError).not.toHaveBeenCalled();
  });

  it('executes a listener’s records within the call that notifies it, which throws their errors', () => {
    const seen: string[] = [];
    const { context, executor } = createRhi({
      device: null,
      bypass: true,
      onFrame: ({ frame }) => {
        seen.push(`frame ${frame}`);
        if (frame > 0) return;
        context.beginFrame(1);
        context.writeBuffer(handle, 0, new Uint32Array(1));
        context.endFrame();
      },
    });
    const handle = context.createBuffer(buffer);
    context.destroy(handle);
    context.beginFrame(0);
    expect(() => context.endFrame()).toThrow(/numbers/);
    expect(seen).toEqual(['frame 0', 'frame 1']);
    expect(executor.submitted.value).toBe(2);
  });

  it('executes a reserved write once its caller has filled it', () => {
    const written: number[] = [];
    const { context } = createRhi({
      device: null,
      bypass: true,
      wrapReader: (reader) => {
        const next = reader.next.bind(reader);
        reader.next = () => {
          const isThere = next();
          if (isThere) written.push(reader.words[reader.fields + 3] ?? 0);
          return isThere;
        };
        return reader;
      },
    });
    const handle = context.createBuffer(buffer);
    written.length = 0;
    const index = context.reserveBufferWrite(handle, 0, 4);
    context.writer.words[index] = 42;
    expect(written).toEqual([]);
    context.endScene();
    expect(written[0]).toBe(42);
  });
});

describe('L8 frame listeners', () => {
  it('are called in order in endFrame with the frame’s number, and their records belong to the frame', async () => {
    const rhi = createRhi({ device: null });
    const calls: string[] = [];
    const stop = rhi.context.onFrameFinished((frame) => calls.push(`first ${frame}`));
    rhi.context.onFrameFinished((frame) => {
      calls.push(`second ${frame}`);
      rhi.context.createBuffer(buffer);
    });
    rhi.context.beginFrame(5);
    rhi.context.endFrame();
    stop();
    stop();
    rhi.context.beginFrame(6);
    rhi.context.endFrame();
    await rhi.flush();
    expect(calls).toEqual(['first 5', 'second 5', 'second 6']);
    expect(rhi.dispose().leaks.map(({ createdInFrame }) => createdInFrame)).toEqual([5, 6]);
  });

  it('L8 that throw are called once, the frame ends, and the first error is thrown', async () => {
    const rhi = createRhi({ device: null });
    const calls: string[] = [];
    for (const name of ['first', 'second']) {
      rhi.context.onFrameFinished((frame) => {
        calls.push(`${name} ${frame}`);
        if (frame === 5) throw new Error(name);
      });
    }
    rhi.context.beginFrame(5);
    rhi.context.openSubList('left open');
    expect(() => rhi.context.endFrame()).toThrow('first');
    rhi.context.beginFrame(6);
    rhi.context.endFrame();
    await rhi.flush();
    expect(calls).toEqual(['first 5', 'second 5', 'first 6', 'second 6']);
    expect(rhi.submitted.value).toBe(2);
  });
});

describe('frame numbers', () => {
  it.each([Number.NaN, 1.5, -1, 2 ** 32, 3, 2])('refuses %s after 3, at the call', (frame) => {
    const { context } = createRhi({ device: null });
    context.beginFrame(3);
    context.endFrame();
    expect(() => context.beginFrame(frame)).toThrow(expect.objectContaining({ code: 'frame-number' }));
    context.beginFrame(4);
  });

  it('refuses a frame within a frame, and an end without a begin', () => {
    const { context } = createRhi({ device: null });
    expect(() => context.endFrame()).toThrow(expect.objectContaining({ code: 'frame-not-begun' }));
    context.beginFrame(0);
    expect(() => context.beginFrame(1)).toThrow(expect.objectContaining({ code: 'frame-not-ended' }));
  });
});

/**
 * Any callback may dispose of the RHI. After the disposal, no record is executed and no callback is called. Each
 * pending promise rejects once. A call of `dispose` during a disposal has no effect.
 *
 *   records   a ─ b ─► listener ─► dispose() ─┬─ c d e dropped     ► every wait rejects with executor-disposed
 */
import { describe, expect, it } from 'vitest';
import type { RhiError } from '../../core/errors.js';
import { BufferUsage, type GraphicsPipelineHandle } from '../commands/descriptors.js';
import { validate } from '../validation/validate.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { createRhi, type Rhi, type RhiOptions } from './create-rhi.js';

const usage = BufferUsage.copyTarget | BufferUsage.copySource;
const wrong = 5 as GraphicsPipelineHandle;
const nothing = new Uint8Array(0);
const nextTask = () => new Promise((resolve) => setImmediate(resolve));
const codeOf = (wait: Promise<unknown>): Promise<string> =>
  wait.then(
    () => 'none',
    ({ code }: RhiError) => code,
  );

/** A callback that calls `dispose`, and the options and records that make the RHI call it. */
interface Place {
  readonly options?: Partial<RhiOptions>;
  readonly listen?: (rhi: Rhi) => void;
  /** Records commands into the first frame. */
  readonly record?: (rhi: Rhi) => void;
  /** Codes of the errors reported before the disposal. Default: none. */
  readonly errors?: readonly string[];
  /** Whether the executor may have executed the second frame before the callback runs. Default false. */
  readonly isLate?: boolean;
}

const read = ({ context }: Rhi, byteLength: number): void => {
  const handle = context.createBuffer({ label: 'numbers', byteLength: 4, usage });
  context.readBuffer(1, handle, 0, byteLength);
};
const disposesOnError =
  (dispose: () => void): NonNullable<Place['listen']> =>
  (rhi) => {
    const { onError } = rhi;
    rhi.onError = (error) => {
      onError(error);
      dispose();
    };
  };
const places = (dispose: () => void): Readonly<Record<string, Place>> => ({
  'onError of a record': {
    listen: disposesOnError(dispose),
    record: ({ context }) => context.setGraphicsPipeline(wrong),
    errors: ['wrong-handle-kind'],
  },
  'onError of validation': {
    options: { validation: validate },
    listen: disposesOnError(dispose),
    record: ({ context }) => context.setGraphicsPipeline(wrong),
    errors: ['command-outside-pass'],
  },
  'a local command': {
    options: { localCommands: new Map([['end', dispose]]) },
    record: ({ context }) => context.localCommand('end', nothing),
  },
  'a wrapper of the reader': {
    options: {
      wrapReader: (reader) => {
        const next = reader.next.bind(reader);
        reader.next = () => {
          if (reader.opcode !== 0) dispose();
          return next();
        };
        return reader;
      },
    },
  },
  onFrame: { options: { onFrame: dispose } },
  'the fence of submitted lists': { listen: ({ submitted }) => submitted.subscribe(dispose) },
  'the fence of completed lists': { listen: ({ completed }) => completed.subscribe(dispose), isLate: true },
  onReadback: { options: { onReadback: dispose }, record: (rhi) => read(rhi, 4), isLate: true },
  'onReadback of a read that is refused': {
    options: { onReadback: dispose },
    record: (rhi) => read(rhi, 400),
  },
  'the promise of a frame': {
    record: (rhi) => void rhi.whenCompleted(0).then(dispose),
    isLate: true,
  },
  'the promise of a read': {
    record: (rhi) => {
      const handle = rhi.context.createBuffer({ label: 'numbers', byteLength: 4, usage });
      rhi.read(handle).then(dispose);
    },
    isLate: true,
  },
});

describe.each(['WebGPU', 'null'])('L9 dispose on %s', (backend) => {
  it.each(Object.keys(places(() => {})))(
    'from %s: every wait ends, and later records are dropped',
    async (name) => {
      let disposals = 0;
      const dispose = (): void => {
        disposals++;
        rhi.dispose();
      };
      const { options, listen, record, errors = [], isLate } = places(dispose)[name] as Place;
      const fake = backend === 'null' ? null : createFakeDevice();
      const reported: string[] = [];
      let later = 0;
      const rhi = createRhi({
        device: fake?.device ?? null,
        ...options,
        localCommands: new Map([...(options?.localCommands ?? []), ['later', () => later++]]),
        onError: (error) => reported.push((error as RhiError).code),
      });
      listen?.(rhi);
      const { context } = rhi;
      const kept = context.createBuffer({ label: 'kept', byteLength: 4, usage });
      context.beginFrame(0);
      record?.(rhi);
      context.endFrame();
      context.beginFrame(1);
      context.localCommand('later', nothing);
      context.beginRenderPass({ label: 'left open', colorAttachments: [] });
      context.setGraphicsPipeline(wrong);
      const waits = [codeOf(rhi.read(kept)), codeOf(rhi.whenCompleted(1))];
      context.endFrame();
      waits.push(codeOf(rhi.flush()));
      for (let i = 0; i < 3; i++) {
        await nextTask();
        await fake?.completeWork();
      }
      expect(disposals).toBeGreaterThan(0);
      expect(() => context.beginFrame(2)).toThrow(expect.objectContaining({ code: 'rhi-disposed' }));
      expect(rhi.dispose()).toEqual({ leaks: [] });
      const codes = await Promise.all(waits);
      if (isLate) return;
      expect([later, reported]).toEqual([0, errors]);
      expect(codes).toEqual(Array(3).fill('executor-disposed'));
    },
  );

  it('from a listener during the disposal: the outer call continues, and reports the leaks', () => {
    const fake = backend === 'null' ? null : createFakeDevice();
    const reported: string[] = [];
    const rhi = createRhi({
      device: fake?.device ?? null,
      onError: (error) => {
        reported.push((error as RhiError).code);
        expect(rhi.dispose()).toEqual({ leaks: [] });
      },
    });
    const { context } = rhi;
    const [kept, destroyed] = ['kept', 'destroyed'].map((label) =>
      context.createBuffer({ label, byteLength: 4, usage }),
    );
    context.setGraphicsPipeline(wrong);
    context.setVertexBuffer(0, wrong as never, 0, 4);
    context.destroy(destroyed!);
    expect(kept).toBeGreaterThan(0);
    expect(rhi.dispose().leaks.map(({ label }) => label)).toEqual(['kept']);
    expect(reported).toEqual(['wrong-handle-kind', 'wrong-handle-kind']);
  });

  it('in bypass, from a local command: the call returns, and the next call throws', () => {
    const fake = backend === 'null' ? null : createFakeDevice();
    const rhi = createRhi({
      device: fake?.device ?? null,
      bypass: true,
      localCommands: new Map([['end', () => void rhi.dispose()]]),
    });
    rhi.context.beginFrame(0);
    rhi.context.localCommand('end', nothing);
    expect(() => rhi.context.endFrame()).toThrow(expect.objectContaining({ code: 'rhi-disposed' }));
  });
});

describe('a listener that ends the RHI on WebGPU', () => {
  it('L9 lets the current record finish: its list is submitted, and then all resources are freed', async () => {
    const fake = createFakeDevice();
    const rhi = createRhi({ device: fake.device, onError: () => void rhi.dispose() });
    const { context } = rhi;
    const [a, b] = ['a', 'b'].map((label) => context.createBuffer({ label, byteLength: 4, usage }));
    context.beginFrame(0);
    context.copyBufferToBuffer(a!, 0, b!, 0, 4);
    context.beginComputePass({ label: 'left open' }); // The open pass is reported at the frame's end.
    context.endFrame();
    await nextTask();
    const last = fake.take().filter((line) => /^(submit|destroy)/.test(line));
    expect(last).toEqual(['submit 1', 'destroy a', 'destroy b']);
  });

  it('L9 receives no errors of shaders and pipelines that fail afterwards', async () => {
    const fake = createFakeDevice();
    const reported: unknown[] = [];
    const rhi = createRhi({ device: fake.device, onError: (error) => reported.push(error) });
    fake.failNextScope('bad');
    const module = rhi.context.createShaderModule({ label: 'lit', code: 'nonsense' });
    rhi.context.createComputePipeline({
      label: 'work',
      bindGroupLayouts: [],
      compute: { module, entryPoint: 'main' },
    });
    rhi.context.publish();
    rhi.executor.pump();
    rhi.dispose();
    await fake.finishPipeline(new Error('no such entry point'));
    await fake.lose('gone');
    expect(reported).toEqual([]);
  });
});

describe('a reader that throws', () => {
  it.each(['WebGPU', 'null'])('on %s ends the RHI with its error, once', async (backend) => {
    const reported: string[] = [];
    const rhi = createRhi({
      device: backend === 'null' ? null : createFakeDevice().device,
      wrapReader: (reader) => {
        reader.next = () => {
          throw new TypeError('a slip in a wrapper');
        };
        return reader;
      },
      onError: (error) => reported.push((error as Error).message),
    });
    rhi.context.beginFrame(0);
    rhi.context.endFrame();
    await expect(rhi.whenCompleted(0)).rejects.toThrow('a slip in a wrapper');
    expect(reported).toEqual(['a slip in a wrapper']);
  });
});

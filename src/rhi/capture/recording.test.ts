import { describe, expect, it } from 'vitest';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import { ForwardingReader } from '../../core/streams/forwarding-reader.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { StreamReader } from '../../core/streams/stream.js';
import type { StreamWatcher } from '../../core/streams/stream-watchers.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import { BufferUsage } from '../commands/descriptors.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { createRhi, type Rhi } from '../host/create-rhi.js';
import { nullCapabilities } from '../null/executor.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { traceList } from '../record/trace.js';
import { validate } from '../validation/validate.js';
import { WebGpuExecutor } from '../webgpu/executor.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { setUpNull } from './capture.test-support.js';
import { CaptureListing } from './capture-listing.js';
import { decodeCapture, openCapture } from './decode-capture.js';
import { FlightRecorder, type FlightRecorderOptions } from './flight-recorder.js';
import { RecordReader } from './replay-run.js';
import { RhiCapture } from './rhi-capture.js';

const frameNumbers = (file: ArrayBuffer): number[] =>
  new CaptureListing(decodeCapture(file)).frames.map(({ frame }) => frame);

describe('a capture', () => {
  it('contains whole frames, from the first frame after start to the last frame before stop', async () => {
    const { rhi, capture, errors } = setUpNull();
    const { context } = rhi;
    const frame = (number: number) => {
      context.beginFrame(number);
      context.endFrame();
      context.publish();
      rhi.executor.pump();
    };
    frame(1);
    capture.start();
    frame(2);
    frame(3);
    // The open frame is still part of the capture.
    context.beginFrame(4);
    context.publish();
    rhi.executor.pump();
    const stopping = capture.stop();
    context.insertDebugMarker('late');
    context.endFrame();
    context.publish();
    rhi.executor.pump();
    frame(5);
    const file = await stopping;
    expect(frameNumbers(file)).toEqual([2, 3, 4]);
    const names = new CaptureListing(decodeCapture(file)).frames[2]?.commands.map(({ name }) => name);
    expect(names).toEqual(['beginFrame', 'insertDebugMarker', 'endFrame']);
    expect(errors).toEqual([]);
  });

  it('refuses to start twice, and to stop before a frame', async () => {
    const { capture } = setUpNull();
    await expect(capture.stop()).rejects.toMatchObject({ code: 'capture-empty' });
    capture.start();
    expect(() => capture.start()).toThrow(expect.objectContaining({ code: 'capture-running' }));
    await expect(capture.stop()).rejects.toMatchObject({ code: 'capture-empty' });
    capture.start();
  });

  it('refuses a reader without a watch method', () => {
    const { reader } = createLocalStream({ table: rhiCommands });
    const closed = { ...reader, watch: undefined } as unknown as StreamReader;
    expect(() => new RhiCapture({ reader: closed, capabilities: nullCapabilities() })).toThrow(
      expect.objectContaining({ code: 'capture-reader', message: expect.stringContaining('wrapReader') }),
    );
  });

  it('contains all executed records, even if a wrapper or validation reads before the executor', async () => {
    for (const wrapReader of [
      (reader: StreamReader): StreamReader =>
        new Proxy(reader, {
          get: (target, name) => {
            const value = Reflect.get(target, name, target) as unknown;
            return typeof value === 'function' ? value.bind(target) : value;
          },
          set: (target, name, value) => Reflect.set(target, name, value, target),
        }),
      (reader: StreamReader): StreamReader => new ForwardingReader(reader),
    ]) {
      for (const validation of [undefined, validate]) {
        const rhi = createRhi({ device: null, wrapReader, ...(validation && { validation }) });
        const capture = new RhiCapture(rhi);
        capture.start();
        rhi.context.beginFrame(1);
        rhi.context.writeBufferFromAttachment(
          rhi.context.createBuffer({ label: 'b', byteLength: 8, usage: BufferUsage.copyTarget }),
          0,
          Uint32Array.of(1, 2).buffer,
        );
        rhi.context.endFrame();
        await rhi.flush();
        const { attachments, stream } = decodeCapture(await capture.stop());
        expect(attachments.map(({ bytes }) => [...new Uint32Array(bytes.slice().buffer)])).toEqual([[1, 2]]);
        expect([...new RecordSequence(stream)]).toHaveLength(4);
        capture.dispose();
      }
    }
  });

  it('has the same bytes for the same calls', async () => {
    const make = async () => {
      const { rhi, capture } = setUpNull();
      rhi.context.createBuffer({ label: 'b', byteLength: 8, usage: BufferUsage.vertex });
      capture.start();
      rhi.context.beginFrame(1);
      rhi.context.endFrame();
      rhi.context.publish();
      rhi.executor.pump();
      return new Uint8Array(await capture.stop());
    };
    expect(await make()).toEqual(await make());
  });
});

describe('M6 M8: the limit of a capture', () => {
  /** Captures `frames` frames with 100 words of data each, on a device that draws nothing, or on the null backend. */
  async function capture(maximumBytes: number, frames: number, hasDevice = false) {
    const fake = createFakeDevice();
    const rhi = createRhi({ device: hasDevice ? fake.device : null });
    const { context } = rhi;
    const buffer = context.createBuffer({
      label: 'b',
      byteLength: 40_000,
      usage: BufferUsage.vertex | BufferUsage.copyTarget,
    });
    const made = new RhiCapture(rhi, { maximumBytes });
    let staged = 0;
    const frame = async (number: number) => {
      context.beginFrame(number);
      context.writeBuffer(buffer, 0, new Uint32Array(50));
      context.writeBufferFromAttachment(buffer, 0, new ArrayBuffer(200));
      context.endFrame();
      context.publish();
      rhi.executor.pump();
      staged = (rhi.executor as Partial<WebGpuExecutor>).gpuBackend?.resources.memory.peaks.captures ?? 0;
      await fake.completeWork();
    };
    made.start();
    for (let number = 1; number <= frames; number++) await frame(number);
    return { capture: made, frame, staged, byteLength: made.byteLength };
  }

  it.each([false, true])(
    'accepts exactly the limit, and ends with one byte less (GPU: %s)',
    async (hasDevice) => {
      const { byteLength } = await capture(2 ** 20, 3, hasDevice);
      expect(byteLength).toBeGreaterThan(3 * 400);
      expect(byteLength > 40_000).toBe(hasDevice);
      const exact = await capture(byteLength, 3, hasDevice);
      expect(frameNumbers(await exact.capture.stop())).toEqual([1, 2, 3]);
      const over = await capture(byteLength - 1, 3, hasDevice);
      expect(over.byteLength).toBe(0);
      await over.frame(4);
      await expect(over.capture.stop()).rejects.toMatchObject({
        name: 'RhiError',
        code: 'capture-too-large',
        message: expect.stringMatching(
          `ended in its frame 3. It may hold ${byteLength - 1} bytes, but with that frame it needs ${byteLength}: .*maximumCaptureBytes`,
        ),
      });
      // The next capture begins anew.
      over.capture.start();
      await over.frame(5);
      expect(frameNumbers(await over.capture.stop())).toEqual([5]);
    },
  );

  it('reads no contents back if they alone exceed the limit', async () => {
    expect((await capture(50_000, 1, true)).staged).toBeGreaterThanOrEqual(40_000);
    const { capture: small, staged } = await capture(39_999, 1, true);
    expect(staged).toBe(0);
    await expect(small.stop()).rejects.toMatchObject({
      code: 'capture-too-large',
      message: expect.stringContaining('40000 for contents'),
    });
  });

  it('holds nothing once its file is written', async () => {
    const { capture: made } = await capture(2 ** 20, 1);
    const file = made.stop();
    expect(made.byteLength).toBeGreaterThan(0);
    await file;
    expect(made.byteLength).toBe(0);
  });

  it('refuses invalid limits', () => {
    const { rhi } = setUpNull();
    for (const maximumBytes of [-1, Number.NaN, '5']) {
      expect(() => new RhiCapture(rhi, { maximumBytes } as never)).toThrow(
        expect.objectContaining({ name: 'OptionError' }),
      );
    }
  });
});

describe('a capture prepared later', () => {
  /** Creates an RHI on a device that draws nothing. */
  function setUp() {
    const fake = createFakeDevice();
    const rhi = createRhi({ device: fake.device });
    let frames = 0;
    const frame = async () => {
      rhi.context.beginFrame(frames++);
      rhi.context.endFrame();
      rhi.context.publish();
      rhi.executor.pump();
      await fake.completeWork();
    };
    /** Returns a line for each record of the capture's creations, without descriptors, labels and code. */
    const creations = async (): Promise<string[]> => {
      const capture = new RhiCapture(rhi);
      capture.start();
      await frame();
      const { creations, notes } = decodeCapture(await capture.stop());
      capture.dispose();
      expect(notes).toEqual([]);
      const words = new RecordReader();
      void words.feed(creations);
      const lines = traceList(words, { maximumFieldLength: 10_000 }).split('\n');
      return lines.map((line) => line.replace(/ (descriptor|label|code)=.*/, ''));
    };
    return { context: rhi.context, frame, creations };
  }

  it('contains the parts of live pipelines and bind groups, even destroyed ones', async () => {
    const { context, frame, creations } = setUp();
    const make = (name: string) => {
      const layout = context.createBindGroupLayout({
        label: `layout ${name}`,
        entries: [{ binding: 0, visibility: 2, sampler: {} }],
      });
      const module = context.createShaderModule({ label: `module ${name}`, code: '' });
      const sampler = context.createSampler({ label: `sampler ${name}` });
      context.createGraphicsPipeline({
        label: `pipeline ${name}`,
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'main' },
      });
      context.createBindGroup({ label: `group ${name}`, layout, entries: [{ binding: 0, sampler }] });
      for (const handle of [layout, module, sampler]) context.destroy(handle);
    };
    make('A');
    // After these frames, the slots of destroyed resources can be reused.
    for (let count = 0; count < 6; count++) await frame();
    make('B');
    await frame();
    expect(await creations()).toEqual([
      'createBindGroupLayout handle=<bind group layout 0.0 "layout A">',
      'createShaderModule handle=<shader module 0.0 "module A">',
      'createSampler handle=<sampler 0.0 "sampler A">',
      'createGraphicsPipeline handle=<graphics pipeline 0.0 "pipeline A">',
      'createBindGroup handle=<bind group 0.0 "group A">',
      'destroyResource handle=<bind group layout 0.0 "layout A">',
      'createBindGroupLayout handle=<bind group layout 0.1 "layout B">',
      'destroyResource handle=<shader module 0.0 "module A">',
      'createShaderModule handle=<shader module 0.1 "module B">',
      'destroyResource handle=<sampler 0.0 "sampler A">',
      'createSampler handle=<sampler 0.1 "sampler B">',
      'createGraphicsPipeline handle=<graphics pipeline 1.0 "pipeline B">',
      'createBindGroup handle=<bind group 1.0 "group B">',
      'destroyResource handle=<bind group layout 0.1 "layout B">',
      'destroyResource handle=<shader module 0.1 "module B">',
      'destroyResource handle=<sampler 0.1 "sampler B">',
    ]);
  });

  it('leaves out destroyed parts once no live resource uses them', async () => {
    const { context, frame, creations } = setUp();
    const layout = context.createBindGroupLayout({ label: 'layout', entries: [] });
    const group = context.createBindGroup({ label: 'group', layout, entries: [] });
    context.destroy(layout);
    await frame();
    expect(await creations()).toHaveLength(3);
    context.destroy(group);
    await frame();
    expect(await creations()).toEqual(['']);
  });

  it('contains the destroyed parts of live resources even after many later creations', async () => {
    const { context, frame, creations } = setUp();
    const layout = context.createBindGroupLayout({ label: 'kept', entries: [] });
    context.createBindGroup({ label: 'group', layout, entries: [] });
    context.destroy(layout);
    for (let count = 0; count < 40; count++) {
      for (let each = 0; each < 50; each++) {
        context.destroy(context.createShaderModule({ label: 'gone', code: ' '.repeat(200) }));
      }
      await frame();
    }
    expect(await creations()).toEqual([
      'createBindGroupLayout handle=<bind group layout 0.0 "kept">',
      'createBindGroup handle=<bind group 0.0 "group">',
      'destroyResource handle=<bind group layout 0.0 "kept">',
    ]);
  });
});

describe('the flight recorder', () => {
  /** Creates a flight recorder on a device that draws nothing. `frame` records a frame that writes `words` words. */
  function setUp(options: Partial<FlightRecorderOptions>) {
    const fake = createFakeDevice();
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const errors: unknown[] = [];
    const executor = new WebGpuExecutor({
      device: fake.device,
      reader,
      surface: null,
      maxFramesInFlight: 100,
      onError: (error) => errors.push(error),
      onReadback: () => {},
    });
    const context = new ImmediateContext(writer, { maxFramesInFlight: 2 });
    const buffer = context.createBuffer({
      label: 'b',
      byteLength: 4096,
      usage: BufferUsage.vertex | BufferUsage.copyTarget,
    });
    const recorder = new FlightRecorder(
      { capabilities: nullCapabilities(), gpuBackend: executor.gpuBackend },
      options,
    );
    const frame = async (number: number, words = 1) => {
      context.beginFrame(number);
      context.writeBuffer(buffer, 0, new Uint32Array(words));
      context.endFrame();
      context.publish();
      executor.pump();
      // Completes pending `mapAsync` calls.
      await fake.completeWork();
    };
    return { fake, recorder, frame, errors, executor };
  }

  it('keeps one to two intervals of frames, and drops only whole intervals', async () => {
    const { recorder, frame } = setUp({ framesPerKeyframe: 3 });
    const held: number[] = [];
    for (let number = 1; number <= 10; number++) {
      await frame(number);
      held.push(recorder.frames);
    }
    expect(held).toEqual([1, 2, 3, 4, 5, 6, 4, 5, 6, 4]);
    expect(frameNumbers(await recorder.write())).toEqual([7, 8, 9, 10]);
    // Recording continues.
    await frame(11);
    expect(frameNumbers(await recorder.write())).toEqual([7, 8, 9, 10, 11]);
  });

  it('ends an interval early if its bytes are used up', async () => {
    const { recorder, frame } = setUp({ framesPerKeyframe: 1000, maximumBytes: 40_000 });
    for (let number = 1; number <= 40; number++) await frame(number, 1000);
    expect(recorder.byteLength).toBeLessThan(48_000);
    const numbers = frameNumbers(await recorder.write());
    expect(numbers.at(-1)).toBe(40);
    expect(numbers.length).toBeLessThan(12);
  });

  it('ends with an error if one snapshot is too large', async () => {
    const { recorder, frame } = setUp({ maximumBytes: 4096 });
    await frame(1);
    await frame(2);
    await expect(recorder.write()).rejects.toMatchObject({ code: 'capture-too-large' });
    expect(recorder.byteLength).toBe(0);
  });

  it('writes the contents read back before the device was lost', async () => {
    const { fake, recorder, frame } = setUp({ framesPerKeyframe: 2 });
    await frame(1);
    await frame(2);
    await fake.lose('gone');
    // The snapshot of frame 3 fails, so the file begins with the snapshot of frame 1.
    for (let number = 3; number <= 5; number++) await frame(number);
    expect(frameNumbers(await recorder.write())).toEqual([1, 2, 3, 4, 5]);
  });

  it('keeps the render commands of the frames that it holds', async () => {
    const { recorder, frame } = setUp({ framesPerKeyframe: 1, renderCommandNames: ['', 'moveMesh'] });
    for (let number = 1; number <= 4; number++) {
      await frame(number);
      recorder.addRenderCommands(Uint32Array.of(1 | (2 << 9), number));
    }
    const { renderCommands } = decodeCapture(await recorder.write());
    expect(renderCommands?.names).toEqual(['', 'moveMesh']);
    expect([...(renderCommands?.stream ?? [])].filter((_, index) => index % 2 === 1)).toEqual([3, 4]);
  });
});

describe('stop during an open frame', () => {
  it('rejects if the capture is disposed of before the frame ends', async () => {
    const { rhi, capture } = setUpNull();
    capture.start();
    rhi.context.beginFrame(0);
    rhi.context.publish();
    rhi.executor.pump();
    const stopped = capture.stop();
    capture.dispose();
    await expect(stopped).rejects.toMatchObject({ code: 'capture-empty' });
  });

  it('rejects with the error of the recording if the recording fails', async () => {
    let watcher: StreamWatcher | undefined;
    const watch = (given: StreamWatcher) => {
      watcher = given;
      return () => {};
    };
    const reader = { watch } as unknown as StreamReader;
    const capture = new RhiCapture({ reader, capabilities: nullCapabilities() });
    capture.start();
    watcher?.onRecords(Uint32Array.of(RhiOpcode.beginFrame | (2 << HEADER_LENGTH_SHIFT), 0), 0, 2);
    const stopped = capture.stop();
    watcher?.onRecords(null as never, 0, 2);
    await expect(stopped).rejects.toBeInstanceOf(TypeError);
  });
});

describe('the source of a capture', () => {
  it.each([
    ['webgpu', createFakeDevice().device],
    ['null', null],
  ] as const)('can be an Rhi with the backend %s', async (_, device) => {
    const rhi = createRhi({ device });
    const before = rhi.context.createBuffer({ label: 'before', byteLength: 4, usage: BufferUsage.vertex });
    const capture = new RhiCapture(rhi);
    const recorder = new FlightRecorder(rhi);
    capture.start();
    rhi.context.beginFrame(0);
    rhi.context.destroy(before);
    rhi.context.endFrame();
    rhi.context.publish();
    rhi.executor.pump();
    expect(recorder.frames).toBe(1);
    if (device === null) {
      const file = await capture.stop();
      const padded = new Uint8Array([0, ...new Uint8Array(file)]).subarray(1);
      expect(openCapture(padded)).toEqual(openCapture(file));
    }
    capture.dispose();
    recorder.dispose();
  });

  it('is refused if it is no Rhi', () => {
    for (const given of [undefined, {}, { executor: {} }]) {
      for (const make of [RhiCapture, FlightRecorder]) {
        expect(() => new make(given as unknown as Rhi)).toThrow(
          expect.objectContaining({ code: 'capture-source', message: expect.stringContaining('createRhi') }),
        );
      }
    }
  });
});

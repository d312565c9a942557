import { describe, expect, it } from 'vitest';
import type { RhiError } from '../../../core/errors.js';
import { HEADER_LENGTH_SHIFT } from '../../../core/records/record-table.js';
import { createLocalStream } from '../../../core/streams/page-stream.js';
import { FrameFlag, RhiOpcode, rhiCommands } from '../../commands/commands.js';
import {
  BufferUsage,
  type DrawBundleHandle,
  type TextureHandle,
  TextureUsage,
} from '../../commands/descriptors.js';
import { makeHandle, ResourceKind } from '../../commands/handles.js';
import type { RhiFrameStats } from '../../execute/executor.js';
import { NullExecutor } from '../../null/executor.js';
import { CheckedImmediateContext } from '../../record/checked-contexts.js';
import { bundleRecord, type DrawRecorder } from '../../record/draw-bundle.js';
import { WebGpuExecutor, type WebGpuExecutorOptions } from '../executor.js';
import { createFakeDevice } from '../fake-device.test-support.js';

/** An executor on a fake device whose passes and render bundles log their calls. */
class Bench {
  readonly fake = createFakeDevice();
  readonly stream = createLocalStream({ table: rhiCommands });
  readonly rhi = new CheckedImmediateContext(this.stream.writer, { maxFramesInFlight: 2 });
  readonly errors: RhiError[] = [];
  readonly frames: RhiFrameStats[] = [];
  /** Calls of passes. The calls of a render bundle replace its `executeBundles`. */
  effects: string[] = [];
  /** Labels and color formats of the encoded render bundles. */
  readonly encoded: string[] = [];
  executed = 0;
  readonly executor: WebGpuExecutor;
  #frame = 0;

  constructor() {
    const device = this.fake.device as unknown as Record<string, unknown>;
    const createEncoder = this.fake.device.createCommandEncoder.bind(this.fake.device);
    device.createCommandEncoder = () => ({
      ...createEncoder(),
      beginRenderPass: () => this.#recorder(this.effects),
    });
    device.createRenderBundleEncoder = (descriptor: GPURenderBundleEncoderDescriptor) => {
      const lines: string[] = [];
      this.encoded.push(`${descriptor.label} ${descriptor.colorFormats}`);
      return { ...this.#recorder(lines), end: undefined, finish: () => ({ lines }) };
    };
    const options: WebGpuExecutorOptions = {
      device: this.fake.device,
      reader: this.stream.reader,
      surface: null,
      maxFramesInFlight: 2,
      surfaceFormat: 'rgba8unorm',
      onError: (error) => this.errors.push(error as RhiError),
      onReadback: () => {},
      onFrame: (stats) => this.frames.push({ ...stats }),
    };
    this.executor = new WebGpuExecutor(options);
  }

  #recorder(lines: string[]): object {
    const call =
      (name: string) =>
      (...args: unknown[]): void => {
        lines.push([name, ...args.map((arg) => (arg as { label?: string }).label ?? arg)].join(' '));
      };
    return {
      setPipeline: call('pipeline'),
      setBindGroup: (index: number, group: { label: string }) => lines.push(`group ${index} ${group.label}`),
      setVertexBuffer: (slot: number, { label }: { label: string }) =>
        lines.push(`vertices ${slot} ${label}`),
      draw: call('draw'),
      drawIndirect: call('drawIndirect'),
      setScissorRect: call('scissor'),
      pushDebugGroup: call('push'),
      popDebugGroup: call('pop'),
      end: () => {},
      executeBundles: ([bundle]: { lines: string[] }[]) => {
        this.executed++;
        lines.push(...(bundle?.lines ?? []));
      },
    };
  }

  /** Creates resources, and a bundle of two draws. @param isReady whether its pipeline is finished */
  async scene(isReady = true) {
    const { rhi } = this;
    const usage = BufferUsage.vertex | BufferUsage.uniform | BufferUsage.copyTarget;
    const buffer = (label: string) => rhi.createBuffer({ label, byteLength: 64, usage });
    const [left, right, uniforms] = [buffer('left'), buffer('right'), buffer('uniforms')];
    const layout = rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 1, buffer: {} }],
    });
    const group = rhi.createBindGroup({
      label: 'group',
      layout,
      entries: [{ binding: 0, buffer: uniforms }],
    });
    const module = rhi.createShaderModule({ label: 'shader', code: '' });
    const pipeline = rhi.createGraphicsPipeline({
      label: 'pipeline',
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'v', buffers: [{ arrayStride: 4, attributes: [] }] },
      fragment: { module, entryPoint: 'f', targets: [{ format: 'rgba8unorm' }] },
    });
    const target = (format: GPUTextureFormat): TextureHandle => {
      const { renderAttachment } = TextureUsage;
      return rhi.createTexture({ label: format, width: 4, height: 4, format, usage: renderAttachment });
    };
    const record = (draws: DrawRecorder): void => {
      draws.setGraphicsPipeline(pipeline);
      draws.setBindGroup(0, group);
      draws.setVertexBuffer(0, left);
      draws.draw(3, 2);
      draws.setVertexBuffer(0, right);
      draws.draw(6);
    };
    const bundle = rhi.createDrawBundle({ label: 'trees' }, record);
    this.pump();
    if (isReady) await this.fake.finishPipeline();
    const main = target('rgba8unorm');
    this.pump();
    return { left, right, uniforms, group, pipeline, target, record, bundle, main };
  }

  pump(): void {
    this.rhi.publish();
    this.executor.pump();
  }

  /** Executes a frame of one pass, and returns the pass's calls. */
  async frame(target: TextureHandle, body: () => void, flags = 0): Promise<string[]> {
    const { rhi } = this;
    rhi.beginFrame(++this.#frame, flags);
    rhi.beginRenderPass({
      label: 'main',
      colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
    });
    body();
    rhi.endRenderPass();
    rhi.endFrame();
    this.pump();
    await this.fake.completeWork();
    return this.effects.splice(0);
  }

  figures(): object {
    const { drawCalls, instances, skippedDraws } = this.frames.at(-1) as RhiFrameStats;
    return { drawCalls, instances, skippedDraws };
  }
}

const ALL = [
  'pipeline pipeline',
  'group 0 group',
  'vertices 0 left',
  'draw 3 2 0 0',
  'vertices 0 right',
  'draw 6 1 0 0',
];

describe('C executeDrawBundle on WebGPU', () => {
  it('encodes the bundle once, executes it in each frame, and counts its draws', async () => {
    const bench = new Bench();
    const { bundle, main } = await bench.scene();
    for (let frame = 0; frame < 3; frame++) {
      expect(await bench.frame(main, () => bench.rhi.executeDrawBundle(bundle))).toEqual(ALL);
      expect(bench.figures()).toEqual({ drawCalls: 2, instances: 3, skippedDraws: 0 });
    }
    expect(bench.encoded).toEqual(['trees rgba8unorm']);
    expect(bench.executed).toBe(3);
    expect(bench.errors).toEqual([]);
  });

  it('works after a pass that has drawn to the surface', async () => {
    const { rhi, executor, effects, frames, errors } = new Bench();
    const viewport = rhi.createViewportTarget('canvas');
    const pass = (body: () => void): void => {
      rhi.beginRenderPass({
        label: 'main',
        colorAttachments: [{ view: { texture: viewport }, loadOp: 'clear', storeOp: 'store' }],
      });
      body();
      rhi.endRenderPass();
    };
    rhi.beginFrame(1);
    rhi.beginDrawingViewport(viewport, 4, 4);
    pass(() => rhi.setScissorRect(1, 2, 3, 4));
    const bundle = rhi.createDrawBundle({ label: 'late' }, (draws) => {
      draws.pushDebugGroup('trees');
      draws.popDebugGroup();
    });
    pass(() => rhi.executeDrawBundle(bundle));
    rhi.endDrawingViewport(viewport);
    rhi.endFrame();
    rhi.publish();
    executor.pump();
    expect(effects).toEqual(['scissor 1 2 3 4', 'push trees', 'pop']);
    expect([frames.length, errors]).toEqual([1, []]);
  });

  it('executes a bundle with indirect draws record by record if its pass has executed the bundle before', async () => {
    const bench = new Bench();
    const { rhi } = bench;
    const { left, group, pipeline, main, bundle: direct } = await bench.scene();
    const numbers = rhi.createBuffer({ label: 'numbers', byteLength: 16, usage: BufferUsage.indirect });
    const indirect = rhi.createDrawBundle({ label: 'indirect' }, (draws) => {
      draws.setGraphicsPipeline(pipeline);
      draws.setBindGroup(0, group);
      draws.setVertexBuffer(0, left);
      draws.drawIndirect(numbers, 0);
    });
    const once = ['pipeline pipeline', 'group 0 group', 'vertices 0 left', 'drawIndirect numbers 0'];
    const twice = (bundle: DrawBundleHandle) => () => {
      rhi.executeDrawBundle(bundle);
      rhi.executeDrawBundle(bundle);
    };
    for (const executed of [1, 2]) {
      expect(await bench.frame(main, twice(indirect))).toEqual([...once, ...once]);
      expect(bench.executed).toBe(executed);
      expect(bench.figures()).toMatchObject({ drawCalls: 2, skippedDraws: 0 });
    }
    await bench.frame(main, twice(direct));
    expect(bench.executed).toBe(4);
    expect(bench.errors).toEqual([]);
  });

  it('encodes the bundle once for each kind of pass, and keeps at most four encodings', async () => {
    const bench = new Bench();
    const { bundle, main, target } = await bench.scene();
    const other = target('bgra8unorm');
    const twin = target('rgba8unorm');
    const execute = () => bench.rhi.executeDrawBundle(bundle);
    for (const texture of [main, other, main, other, twin]) await bench.frame(texture, execute);
    expect(bench.encoded).toEqual(['trees rgba8unorm', 'trees bgra8unorm']);
    for (const format of ['r8unorm', 'rg8unorm', 'rgba16float'] as const)
      await bench.frame(target(format), execute);
    await bench.frame(other, execute);
    expect(bench.encoded).toHaveLength(5);
    await bench.frame(main, execute);
    expect(bench.encoded.at(-1)).toBe('trees rgba8unorm');
  });

  it('does not inherit the pass’s state, and leaves no state for the pass', async () => {
    const bench = new Bench();
    const { bundle, main, pipeline, record } = await bench.scene();
    const { rhi } = bench;
    const bare = rhi.createDrawBundle({ label: 'bare' }, (draws) => draws.draw(9));
    const effects = await bench.frame(main, () => {
      record(rhi);
      rhi.executeDrawBundle(bare);
      rhi.draw(9);
      rhi.executeDrawBundle(bundle);
      rhi.draw(9);
      rhi.setScissorRect(0, 0, 1, 1);
      rhi.setGraphicsPipeline(pipeline);
      rhi.draw(9);
    });
    expect(effects).toEqual([...ALL, ...ALL, 'scissor 0 0 1 1', 'pipeline pipeline']);
    expect(bench.figures()).toEqual({ drawCalls: 4, instances: 6, skippedDraws: 4 });
  });

  it('draws record by record while its pipeline is pending, and as a bundle from then on', async () => {
    const bench = new Bench();
    const { bundle, main } = await bench.scene(false);
    const execute = () => bench.rhi.executeDrawBundle(bundle);
    expect(await bench.frame(main, execute)).toEqual([
      'group 0 group',
      'vertices 0 left',
      'vertices 0 right',
    ]);
    expect(bench.figures()).toEqual({ drawCalls: 0, instances: 0, skippedDraws: 2 });
    await bench.frame(main, execute);
    // Without a change of resources, encoding is not tried again.
    expect(bench.encoded).toHaveLength(1);
    await bench.fake.finishPipeline();
    expect(await bench.frame(main, execute)).toEqual(ALL);
    expect(bench.executed).toBe(1);
  });

  it('waits for the bundle’s pipelines if the frame waits for pipelines', async () => {
    const bench = new Bench();
    const { bundle, main } = await bench.scene(false);
    const execute = () => bench.rhi.executeDrawBundle(bundle);
    expect(await bench.frame(main, execute, FrameFlag.waitForPipelines)).toEqual([]);
    expect(bench.frames).toEqual([]);
    await bench.fake.finishPipeline();
    expect(bench.effects).toEqual(ALL);
    expect(bench.figures()).toEqual({ drawCalls: 2, instances: 3, skippedDraws: 0 });
  });

  it('resolves its handles at execution, after a rename and after a destroy', async () => {
    const bench = new Bench();
    const { bundle, main, left, uniforms } = await bench.scene();
    const { rhi } = bench;
    const execute = () => rhi.executeDrawBundle(bundle);
    await bench.frame(main, execute);
    rhi.renameBuffer(uniforms);
    expect(await bench.frame(main, execute)).toEqual(ALL);
    expect(bench.encoded).toHaveLength(2);
    rhi.destroy(left);
    for (let i = 0; i < 2; i++) {
      expect(await bench.frame(main, execute)).toEqual([
        'pipeline pipeline',
        'group 0 group',
        'vertices 0 right',
        'draw 6 1 0 0',
      ]);
      expect(bench.figures()).toEqual({ drawCalls: 1, instances: 1, skippedDraws: 1 });
    }
    expect(bench.errors.map(({ code }) => code)).toEqual(['stale-handle']);
    // Without a further change, the bundle is not encoded again.
    const before = bench.encoded.length;
    await bench.frame(main, execute);
    expect(bench.encoded).toHaveLength(before);
  });

  it('is skipped and counted outside passes and in a pass that was left out, and is refused once the bundle is destroyed', async () => {
    const bench = new Bench();
    const { bundle, main, target } = await bench.scene();
    const { rhi } = bench;
    const gone = target('r8unorm');
    rhi.destroy(gone);
    await bench.frame(gone, () => rhi.executeDrawBundle(bundle));
    expect(bench.figures()).toEqual({ drawCalls: 0, instances: 0, skippedDraws: 2 });
    rhi.beginFrame(8);
    rhi.executeDrawBundle(bundle);
    rhi.beginComputePass({ label: 'compute' });
    rhi.executeDrawBundle(bundle);
    rhi.endComputePass();
    rhi.endFrame();
    bench.pump();
    await bench.fake.completeWork();
    expect(bench.figures()).toEqual({ drawCalls: 0, instances: 0, skippedDraws: 4 });
    rhi.destroy(bundle);
    rhi.beginFrame(9);
    rhi.beginRenderPass({
      label: 'main',
      colorAttachments: [{ view: { texture: main }, loadOp: 'clear', storeOp: 'store' }],
    });
    rhi.executeDrawBundle(bundle);
    rhi.endRenderPass();
    rhi.endFrame();
    bench.pump();
    expect(bench.errors.map(({ code }) => code)).toEqual(['stale-handle', 'stale-handle']);
    expect(bench.errors[1]?.message).toContain('Its slot was last used by "trees"');
  });

  it('skips a bundle after the GPU has refused it, and the report names the bundle', async () => {
    const bench = new Bench();
    const { bundle, main } = await bench.scene();
    const execute = () => bench.rhi.executeDrawBundle(bundle);
    bench.fake.failNextScope('too many vertices');
    await bench.frame(main, execute);
    await bench.frame(main, execute);
    expect(bench.errors.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringContaining('bundle-refused The GPU refused the draw bundle "trees": too many vertices'),
    ]);
    expect(bench.figures()).toEqual({ drawCalls: 0, instances: 0, skippedDraws: 2 });
  });

  it('draws a bundle that the GPU refuses for one kind of pass in passes of another kind', async () => {
    const bench = new Bench();
    const { bundle, main, target } = await bench.scene();
    const other = target('bgra8unorm');
    const execute = () => bench.rhi.executeDrawBundle(bundle);
    bench.pump();
    bench.fake.failNextScope('another format');
    await bench.frame(other, execute);
    for (let frame = 0; frame < 2; frame++) {
      expect(await bench.frame(main, execute)).toEqual(ALL);
      expect(bench.figures()).toEqual({ drawCalls: 2, instances: 3, skippedDraws: 0 });
      expect(await bench.frame(other, execute)).toEqual([]);
      expect(bench.figures()).toEqual({ drawCalls: 0, instances: 0, skippedDraws: 2 });
    }
    expect(bench.encoded).toEqual(['trees bgra8unorm', 'trees rgba8unorm']);
    expect(bench.errors.map(({ code }) => code)).toEqual(['bundle-refused']);
  });

  it('reports a bundle that was not destroyed as a leak (SYSTEMS L9)', async () => {
    const bench = new Bench();
    await bench.scene();
    expect(bench.executor.dispose().leaks).toContainEqual({
      kind: 'draw bundle',
      label: 'trees',
      createdInFrame: 0,
    });
  });
});

describe('hostile bundles', () => {
  const header = (opcode: number, length: number): number => opcode | (length << HEADER_LENGTH_SHIFT);
  const handle = makeHandle(ResourceKind.drawBundle, 0, 0);
  const bad = bundleRecord(handle, 'bad', Uint32Array.of(header(RhiOpcode.draw, 9), 1, 1, 1));
  const cut = bundleRecord(handle, 'cut', Uint32Array.of(header(RhiOpcode.draw, 5), 1, 1, 0, 0));
  cut[4] = 900;

  it.each([
    [
      'a command that bundles can’t hold',
      bundleRecord(handle, 'b', Uint32Array.of(header(RhiOpcode.endFrame, 1))),
      'bundle-command',
    ],
    ['words that are not records', bad, 'bad-record'],
    ['more words than the record has', cut, 'bad-record'],
    ['a handle of another kind', bundleRecord(17, 'kind', new Uint32Array(0)), 'wrong-handle-kind'],
  ])('%s is refused when it is created, on every backend', (_, record, code) => {
    const bench = new Bench();
    const stream = createLocalStream({ table: rhiCommands });
    const errors: RhiError[] = [];
    const onNull = new NullExecutor({
      reader: stream.reader,
      surface: null,
      maxFramesInFlight: 2,
      onError: (error) => errors.push(error as RhiError),
      onReadback: () => {},
    });
    for (const { writer } of [bench.stream, stream]) {
      const at = writer.reserve(RhiOpcode.createDrawBundle, record.length - 1);
      writer.words.set(record.subarray(1), at);
      writer.publish();
    }
    bench.executor.pump();
    onNull.pump();
    expect([...bench.errors, ...errors].map((error) => error.code)).toEqual([code, code]);
    bench.rhi.executeDrawBundle(handle as DrawBundleHandle);
    bench.pump();
    expect(bench.errors.at(-1)?.code).toBe('stale-handle');
  });
});

describe('draw bundles on the null backend', () => {
  it('count their commands, and report stale handles in them', () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const rhi = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    const errors: RhiError[] = [];
    const executor = new NullExecutor({
      reader,
      surface: null,
      maxFramesInFlight: 2,
      onError: (error) => errors.push(error as RhiError),
      onReadback: () => {},
    });
    const vertices = rhi.createBuffer({ label: 'vertices', byteLength: 64, usage: BufferUsage.vertex });
    const bundle = rhi.createDrawBundle({ label: 'trees' }, (draws) => {
      draws.setVertexBuffer(0, vertices);
      draws.draw(3, 4);
      draws.drawIndexed(3, 2);
    });
    const target = rhi.createViewportTarget('canvas');
    for (const frame of [1, 2]) {
      if (frame === 2) rhi.destroy(vertices);
      rhi.beginFrame(frame);
      rhi.beginDrawingViewport(target, 4, 4);
      rhi.executeDrawBundle(bundle);
      rhi.executeDrawBundle(bundle);
      rhi.endDrawingViewport(target);
      rhi.endFrame();
      rhi.publish();
      executor.pump();
      expect([executor.stats.drawCalls, executor.stats.instances]).toEqual([4, 12]);
    }
    expect(errors.map(({ code }) => code)).toEqual(['stale-handle', 'stale-handle']);
    const counts = Object.fromEntries(executor.commandCounts);
    expect(counts).toMatchObject({ createDrawBundle: 1, executeDrawBundle: 4, draw: 4, setVertexBuffer: 2 });
    expect(executor.dispose().leaks).toEqual([{ kind: 'draw bundle', label: 'trees', createdInFrame: 0 }]);
  });
});

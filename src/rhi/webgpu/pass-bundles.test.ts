import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { FencepostError } from '../../core/errors.js';
import { createLocalStream } from '../../core/page-stream.js';
import type { PageCursor, StreamReader } from '../../core/stream.js';
import { rhiCommands } from '../commands/commands.js';
import { type BindGroupHandle, BufferUsage, type GraphicsPipelineHandle } from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import type { RhiFrameStats } from '../host/executor.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { PageValidator } from '../validation/page-validator.js';
import { CompleteWebGpuExecutor } from './complete/complete-executor.js';
import { createFakeDevice } from './fake-device.js';
import { LEAST_DRAWS, PassBundles } from './pass-bundles.js';
import { PassRun } from './pass-run.js';

/**
 * Two executors get the same records: one with bundles, one without. Their calls inside passes are written down
 * with the contents of bundles in the place of `executeBundles`.
 */
class Side {
  readonly fake = createFakeDevice();
  readonly stream = createLocalStream({ table: rhiCommands });
  readonly errors: string[] = [];
  readonly frames: RhiFrameStats[] = [];
  /** What passes were told, bundles opened. */
  effects: string[] = [];
  bundlesEncoded = 0;
  bundlesExecuted = 0;
  readonly rhi = new ImmediateContext(this.stream.writer, { maxFramesInFlight: 2 });
  readonly executor: CompleteWebGpuExecutor;

  constructor(
    leastDraws: number | null,
    wrap: (reader: StreamReader, side: Side) => StreamReader = (reader) => reader,
  ) {
    const device = this.fake.device as unknown as Record<string, unknown>;
    const createEncoder = this.fake.device.createCommandEncoder.bind(this.fake.device);
    device.createCommandEncoder = () => ({
      ...createEncoder(),
      beginRenderPass: ({ label }: GPURenderPassDescriptor) => {
        this.effects.push(`pass ${label}`);
        return this.#recorder(this.effects);
      },
    });
    device.createRenderBundleEncoder = (descriptor: GPURenderBundleEncoderDescriptor) => {
      this.bundlesEncoded++;
      const lines: string[] = [];
      const { colorFormats, sampleCount } = descriptor;
      const formats = `${JSON.stringify(colorFormats)} ${sampleCount}`;
      return { ...this.#recorder(lines), end: undefined, finish: () => ({ lines, formats }) };
    };
    device.createBindGroup = ({ label, entries }: GPUBindGroupDescriptor) => ({
      label: `${label}(${[...entries].map(({ resource }) => (resource as GPUBufferBinding).buffer.label)})`,
    });
    this.executor = new CompleteWebGpuExecutor({
      device: this.fake.device,
      reader: wrap(this.stream.reader, this),
      surface: null,
      maxFramesInFlight: 2,
      surfaceFormat: 'rgba8unorm',
      onError: (error) => this.errors.push((error as FencepostError).message),
      onReadback: () => {},
      onFrame: (stats) => this.frames.push({ ...stats, rhiThreadMs: 0 }),
    });
    this.executor.passBundles =
      leastDraws === null ? undefined : new PassBundles(this.executor.parts, leastDraws);
  }

  #recorder(lines: string[]): object {
    const call =
      (name: string) =>
      (...args: unknown[]): void => {
        const shown = args.map((arg) => (arg as { label?: string }).label ?? arg);
        lines.push(`${name} ${shown}`);
      };
    return {
      setPipeline: call('pipeline'),
      setBindGroup: (index: number, group: object, data?: Uint32Array, start = 0, count = 0) => {
        if (data && start + count > data.length) throw new RangeError('offsets beyond their array');
        call('group')(index, group, ...(data?.subarray(start, start + count) ?? []));
      },
      setVertexBuffer: call('vertices'),
      setIndexBuffer: call('indices'),
      draw: call('draw'),
      drawIndexed: call('drawIndexed'),
      drawIndirect: call('drawIndirect'),
      setScissorRect: call('scissor'),
      setViewport: call('viewport'),
      pushDebugGroup: call('push'),
      popDebugGroup: call('pop'),
      insertDebugMarker: call('marker'),
      end: call('end'),
      executeBundles: (bundles: { lines: string[] }[]) => {
        this.bundlesExecuted++;
        for (const bundle of bundles) lines.push(...bundle.lines);
      },
    };
  }

  pump(): void {
    this.rhi.publish();
    this.executor.pump();
  }

  async finish(): Promise<void> {
    this.pump();
    await this.fake.completeWork();
  }

  takeEffects(): string[] {
    const { effects } = this;
    this.effects = [];
    return effects;
  }
}

/** Resources, and frames of one pass in which `body` records. */
function prepare(side: Side) {
  const { rhi } = side;
  const target = rhi.createViewportTarget('canvas');
  const usage = BufferUsage.vertex | BufferUsage.uniform | BufferUsage.copyTarget;
  const buffer = (label: string) => rhi.createBuffer({ label, byteLength: 4096, usage });
  const module = rhi.createShaderModule({ label: 'shader', code: '' });
  const layout = rhi.createBindGroupLayout({
    label: 'layout',
    entries: [{ binding: 0, visibility: 1, buffer: { hasDynamicOffset: true } }],
  });
  const uniforms = buffer('uniforms');
  const vertices = buffer('vertices');
  const group = (label: string): BindGroupHandle =>
    rhi.createBindGroup({ label, layout, entries: [{ binding: 0, buffer: uniforms, byteLength: 256 }] });
  const pipeline = (label: string): GraphicsPipelineHandle =>
    rhi.createGraphicsPipeline({
      label,
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'main', buffers: [{ arrayStride: 12, attributes: [] }] },
      fragment: { module, entryPoint: 'main', targets: [{ format: 'rgba8unorm' }] },
    });
  let number = 0;
  const frame = (body: () => void, red = 0, before: () => void = () => {}) => {
    rhi.beginFrame(++number);
    before();
    rhi.beginDrawingViewport(target, 8, 8);
    rhi.beginRenderPass({
      label: 'main',
      colorAttachments: [
        { view: { texture: target }, loadOp: 'clear', storeOp: 'store', clearValue: [red, 0, 0, 1] },
      ],
    });
    body();
    rhi.endRenderPass();
    rhi.endDrawingViewport(target);
    rhi.endFrame();
  };
  return { buffer, uniforms, vertices, group, pipeline, frame, target };
}

async function scene(leastDraws: number | null = 3, wrap?: (reader: StreamReader) => StreamReader) {
  const side = new Side(leastDraws, wrap);
  const { rhi } = side;
  const parts = prepare(side);
  const group = parts.group('g');
  const pipeline = parts.pipeline('p');
  side.pump();
  await side.fake.finishPipeline();
  /** Draws with these offsets. */
  const draws = (offsets: readonly number[]) => () => {
    rhi.setGraphicsPipeline(pipeline);
    rhi.setVertexBuffer(0, parts.vertices, 0, 4096);
    for (const offset of offsets) {
      rhi.setBindGroup(0, group, [offset]);
      rhi.draw(3, 2, offset);
    }
  };
  /** Executes a frame; what its pass was told, and whether by a bundle. */
  const run = async (body: () => void, red?: number, before?: () => void) => {
    const executed = side.bundlesExecuted;
    parts.frame(body, red, before);
    await side.finish();
    return { effects: side.takeEffects(), isReplayed: side.bundlesExecuted > executed };
  };
  return { side, rhi, ...parts, group, pipeline, draws, run };
}

const frameOf = (offsets: readonly number[]) => [
  'pass main',
  'pipeline p',
  'vertices 0,vertices,0,4096',
  ...offsets.flatMap((offset) => [`group 0,g(uniforms),${offset}`, `draw 3,2,${offset},0`]),
  'end ',
];

describe('a pass that stays the same', () => {
  it('is replayed from its second frame on, with the same calls and figures', async () => {
    const { side, draws, run } = await scene();
    const body = draws([0, 256, 512]);
    const replayed: boolean[] = [];
    for (let i = 0; i < 4; i++) {
      const { effects, isReplayed } = await run(body);
      expect(effects).toEqual(frameOf([0, 256, 512]));
      replayed.push(isReplayed);
    }
    expect(replayed).toEqual([false, true, true, true]);
    expect(side.bundlesEncoded).toBe(1);
    expect(
      side.frames.map(({ drawCalls, instances, skippedDraws }) => [drawCalls, instances, skippedDraws]),
    ).toEqual(Array(4).fill([3, 6, 0]));
    expect(side.errors).toEqual([]);
  });

  it('is replayed though its clear colour and its viewport change, which a bundle does not hold', async () => {
    const { side, rhi, draws, run } = await scene();
    const replayed: boolean[] = [];
    for (let i = 0; i < 3; i++) {
      const body = () => {
        rhi.setScissorRect(i, 0, 4, 4);
        draws([0, 256, 512])();
      };
      const { effects, isReplayed } = await run(body, i / 10);
      expect(effects).toEqual(['pass main', `scissor ${i},0,4,4`, ...frameOf([0, 256, 512]).slice(1)]);
      replayed.push(isReplayed);
    }
    expect(replayed).toEqual([false, true, true]);
    expect(side.bundlesEncoded).toBe(1);
  });

  it('is executed directly from the word that differs, and replayed again when it stays so', async () => {
    const { draws, run } = await scene();
    const lists = [
      [0, 256, 512],
      [0, 256, 512],
      [0, 256, 512],
      [0, 256, 768],
      [0, 256, 768],
      [0, 256, 768],
    ];
    const replayed: boolean[] = [];
    for (const offsets of lists) {
      const { effects, isReplayed } = await run(draws(offsets));
      expect(effects).toEqual(frameOf(offsets));
      replayed.push(isReplayed);
    }
    expect(replayed).toEqual([false, true, true, false, true, true]);
  });

  it('is told from one that goes on, and from one that ends sooner', async () => {
    const { draws, run } = await scene();
    const replayed: boolean[] = [];
    for (const count of [4, 4, 5, 5, 5, 3, 3]) {
      const offsets = [0, 256, 512, 768, 1024].slice(0, count);
      const { effects, isReplayed } = await run(draws(offsets));
      expect(effects).toEqual(frameOf(offsets));
      replayed.push(isReplayed);
    }
    expect(replayed).toEqual([false, true, false, true, true, false, true]);
  });

  it('waits for the rest of the pass where the stream has no more yet, however it is cut', async () => {
    const { side, rhi, group, pipeline, vertices, run } = await scene();
    for (let i = 0; i < 4; i++) {
      const { effects, isReplayed } = await run(() => {
        for (const offset of [0, 256, 512]) {
          rhi.setGraphicsPipeline(pipeline);
          side.pump();
          rhi.setVertexBuffer(0, vertices, 0, 4096);
          if (offset === i * 256) side.pump();
          rhi.setBindGroup(0, group, [offset]);
          rhi.draw(3, 2, offset);
          side.pump();
          side.pump();
        }
      });
      expect(effects).toEqual(frameOf([0, 256, 512]));
      expect(isReplayed).toBe(i > 0);
    }
  });
});

describe('no bundle is made', () => {
  it('of fewer draws than pay', async () => {
    const { draws, run, side } = await scene(LEAST_DRAWS);
    const offsets = Array.from({ length: LEAST_DRAWS - 1 }, (_, i) => i);
    for (let i = 0; i < 70; i++) await run(draws(offsets));
    expect(side.bundlesEncoded).toBe(0);
  });

  it('where something is skipped; the figures and errors are as without', async () => {
    const { side, rhi, draws, run, pipeline } = await scene();
    const body = () => {
      draws([0, 256])();
      rhi.setVertexBuffer(0, 99 as never, 0, 16);
      rhi.draw(3);
      rhi.setGraphicsPipeline(pipeline);
    };
    for (let i = 0; i < 4; i++) expect((await run(body)).isReplayed).toBe(false);
    expect(side.frames.map(({ drawCalls, skippedDraws }) => [drawCalls, skippedDraws])).toEqual(
      Array(4).fill([2, 1]),
    );
    expect(side.errors.length).toBe(1);
  });

  it('of a pass with a record that a bundle cannot hold, or with an unbalanced debug group', async () => {
    const { side, rhi, draws, run } = await scene();
    for (const record of [
      () => rhi.setScissorRect(0, 0, 1, 1),
      () => rhi.pushDebugGroup('open'),
      () => rhi.popDebugGroup(),
    ]) {
      for (let i = 0; i < 70; i++) {
        await run(() => {
          draws([0, 256, 512])();
          record();
        });
      }
    }
    expect(side.bundlesEncoded).toBe(0);
    expect(side.errors).toEqual([]);
  });

  it('where a reader wraps the page reader', async () => {
    const wrap = (reader: StreamReader): StreamReader => ({
      get words() {
        return reader.words;
      },
      get ints() {
        return reader.ints;
      },
      get floats() {
        return reader.floats;
      },
      get opcode() {
        return reader.opcode;
      },
      get fields() {
        return reader.fields;
      },
      get fieldWords() {
        return reader.fieldWords;
      },
      next: () => reader.next(),
      attachment: (number) => reader.attachment(number),
      onAvailable: null,
      close: () => reader.close(),
    });
    const { side, draws, run } = await scene(3, wrap);
    for (let i = 0; i < 4; i++)
      expect((await run(draws([0, 256, 512]))).effects).toEqual(frameOf([0, 256, 512]));
    expect(side.bundlesEncoded).toBe(0);
  });

  it('in bypass mode, where each command executes in its call', () => {
    const { device } = createFakeDevice();
    for (const bypass of [true, false]) {
      const { executor } = createRhi({ device, bypass });
      expect((executor as CompleteWebGpuExecutor).passBundles === undefined).toBe(bypass);
    }
  });

  it('more and more seldom of a pass that differs every frame', async () => {
    const { side, draws, run } = await scene();
    const kept: number[] = [];
    const take = vi.spyOn(PassRun.prototype, 'take');
    const countEqual = vi.spyOn(PassRun.prototype, 'countEqual');
    for (let i = 0; i < 200; i++) {
      take.mockClear();
      countEqual.mockClear();
      expect((await run(draws([i, 256, 512]))).effects).toEqual(frameOf([i, 256, 512]));
      if (take.mock.calls.length + countEqual.mock.calls.length > 0) kept.push(i);
    }
    vi.restoreAllMocks();
    expect(kept).toEqual([0, 1, 2, 7, 8, 17, 18, 35, 36, 69, 70, 135, 136]);
    expect(side.bundlesEncoded).toBe(0);
  });
});

describe('a bundle is given up', () => {
  it('when something it names was renamed, destroyed or failed, and not when something else was', async () => {
    const { side, rhi, draws, run, uniforms, buffer } = await scene();
    const body = draws([0, 256, 512]);
    for (let i = 0; i < 3; i++) await run(body);
    const other = buffer('other');
    expect((await run(body, 0, () => rhi.renameBuffer(other))).isReplayed).toBe(true);
    expect((await run(body, 0, () => rhi.destroy(other))).isReplayed).toBe(true);
    const { effects, isReplayed } = await run(body, 0, () => rhi.renameBuffer(uniforms));
    expect(isReplayed).toBe(false);
    expect(effects).toEqual(frameOf([0, 256, 512]));
    expect(side.bundlesEncoded).toBe(1);
    // Left alone for two frames, kept in the third, then encoded anew.
    const later: boolean[] = [];
    for (let i = 0; i < 5; i++) later.push((await run(body)).isReplayed);
    expect(later).toEqual([false, false, false, true, true]);
    expect(side.bundlesEncoded).toBe(2);
  });
});

describe('property: the same calls, figures and errors as without bundles', () => {
  const records = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('draw' as const), n: fc.nat(3) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('group' as const), n: fc.nat(5) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('vertices' as const), n: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('indices' as const), n: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('pipeline' as const), n: fc.nat(1) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('marker' as const), n: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('debugGroup' as const), n: fc.nat(9) }) },
    ),
    { minLength: 4, maxLength: 30 },
  );
  const changes = fc.array(
    fc.record({
      /** What happens before the frame. */
      event: fc.constantFrom(...Array(9).fill('none'), 'rename', 'recreate', 'create', 'ready', 'wait'),
      /** Which record of the pass is replaced, if any. */
      replaced: fc.oneof(
        { weight: 4, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.record({ at: fc.nat(40), n: fc.nat(5) }) },
      ),
      /** Records in the pass that no bundle can hold. */
      hasForeign: fc.constantFrom(...Array(15).fill(false), true),
      /** After which record the pages so far are published. */
      cuts: fc.array(fc.nat(30), { maxLength: 3 }),
    }),
    { minLength: 4, maxLength: 25 },
  );

  const checked = (reader: StreamReader, side: Side): StreamReader =>
    new PageValidator(reader as PageCursor, { onError: ({ message }) => side.errors.push(message) }, 0);

  it.each([
    ['for random frames with small changes', undefined, 200],
    ['behind validation as well', checked, 60],
  ] as const)('%s', async (_, wrap, numRuns) => {
    let replays = 0;
    await fc.assert(
      fc.asyncProperty(records, changes, async (initial, frames) => {
        const sides = [new Side(1, wrap), new Side(null, wrap)] as const;
        const log: unknown[][] = [];
        for (const side of sides) {
          const { rhi, fake } = side;
          const parts = prepare(side);
          const groups = [parts.group('a'), parts.group('b'), parts.group('c')];
          const pipelines = [parts.pipeline('p'), parts.pipeline('q')];
          side.pump();
          await fake.finishPipeline();
          await fake.finishPipeline();
          const pass = [...initial];
          log.push([]);
          for (const { event, replaced, hasForeign, cuts } of frames) {
            if (replaced) {
              const at = replaced.at % pass.length;
              const record = pass[at];
              if (record) pass[at] = { ...record, n: replaced.n };
            }
            if (event === 'recreate') {
              rhi.destroy(groups[0]);
              groups[0] = parts.group('a');
            }
            if (event === 'create') {
              rhi.destroy(pipelines[1]);
              pipelines[1] = parts.pipeline('q');
            }
            if (event === 'ready') await fake.finishPipeline();
            parts.frame(
              () => {
                rhi.setViewport(0, 0, 8, 8, 0, 1);
                rhi.setGraphicsPipeline(pipelines[0] as GraphicsPipelineHandle);
                rhi.setVertexBuffer(0, parts.vertices, 0, 64);
                rhi.setBindGroup(0, groups[0] as BindGroupHandle, [0]);
                pass.forEach(({ kind, n }, index) => {
                  if (cuts.includes(index)) side.pump();
                  if (hasForeign && index === 3) rhi.setScissorRect(0, 0, 1, 1);
                  if (kind === 'draw') rhi.draw(3, n);
                  else if (kind === 'group')
                    rhi.setBindGroup(n % 2, groups[n % 3] as BindGroupHandle, [n * 256]);
                  else if (kind === 'vertices') rhi.setVertexBuffer(0, parts.vertices, 0, n * 64);
                  else if (kind === 'indices') rhi.setIndexBuffer(parts.vertices, 'uint16', 0, n * 64);
                  else if (kind === 'pipeline')
                    rhi.setGraphicsPipeline(pipelines[n % 2] as GraphicsPipelineHandle);
                  else if (kind === 'marker') rhi.insertDebugMarker(`marker ${n}`);
                  else {
                    // Mostly balanced.
                    if (n !== 0) rhi.pushDebugGroup('group');
                    if (n !== 1) rhi.popDebugGroup();
                  }
                });
              },
              0,
              () => event === 'rename' && rhi.renameBuffer(parts.uniforms),
            );
            await side.finish();
            if (event === 'wait') await fake.completeWork();
            log.at(-1)?.push(side.takeEffects());
          }
          log.at(-1)?.push(side.frames, side.errors);
          replays += side.bundlesExecuted;
        }
        expect(log[0]).toEqual(log[1]);
      }),
      { numRuns },
    );
    // Else it would prove nothing.
    expect(replays).toBeGreaterThan(numRuns / 2);
  });
});

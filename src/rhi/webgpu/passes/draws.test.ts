import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RhiError } from '../../../core/errors.js';
import { ForwardingReader } from '../../../core/streams/forwarding-reader.js';
import { createLocalStream } from '../../../core/streams/page-stream.js';
import { rhiCommands } from '../../commands/commands.js';
import {
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
} from '../../commands/descriptors.js';
import { ImmediateContext } from '../../record/immediate-context.js';
import { WebGpuExecutor } from '../executor.js';
import { createFakeDevice } from '../fake-device.test-support.js';

const STRIDE = 12;
const BUFFER_BYTES = 3600;

/** A call of a pass: its name and arguments. Objects are replaced by their labels. */
type Call = readonly [name: string, ...args: unknown[]];

/**
 * Creates an executor whose passes log their calls, and the resources that a pass needs.
 * @param hasPages whether the executor reads runs of records straight from pages
 */
async function open(hasPages: boolean) {
  const fake = createFakeDevice();
  const device = fake.device as unknown as Record<string, unknown>;
  const createEncoder = fake.device.createCommandEncoder.bind(fake.device);
  let calls: Call[] = [];
  const names = [
    'setPipeline',
    'setBindGroup',
    'setVertexBuffer',
    'setIndexBuffer',
    'draw',
    'drawIndexed',
    'end',
  ];
  const note =
    (name: string) =>
    (...args: unknown[]): void => {
      calls.push([name, ...args.map((arg) => (arg as { label?: string }).label ?? arg)]);
    };
  device.createCommandEncoder = () => ({
    ...createEncoder(),
    beginRenderPass: () => Object.fromEntries(names.map((name) => [name, note(name)])),
  });
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const errors: unknown[] = [];
  const executor = new WebGpuExecutor({
    device: fake.device,
    // A `ForwardingReader` offers no pages, so the executor reads record by record.
    reader: hasPages ? reader : new ForwardingReader(reader),
    surface: null,
    maxFramesInFlight: 2,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => errors.push(error),
    onReadback: () => {},
  });
  const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });

  const buffer = (label: string): BufferHandle =>
    rhi.createBuffer({ label, byteLength: BUFFER_BYTES, usage: BufferUsage.vertex | BufferUsage.index });
  const buffers = [buffer('a'), buffer('b')] as const;
  const indices = buffer('indices');
  const layout = rhi.createBindGroupLayout({
    label: 'layout',
    entries: [{ binding: 0, visibility: 1, sampler: {} }],
  });
  const sampler = rhi.createSampler({ label: 'sampler' });
  const groups = ['g', 'h'].map((label) =>
    rhi.createBindGroup({ label, layout, entries: [{ binding: 0, sampler }] }),
  ) as [BindGroupHandle, BindGroupHandle];
  const module = rhi.createShaderModule({ label: 'module', code: '' });
  const perVertex = { arrayStride: STRIDE, attributes: [] };
  const perInstance = { ...perVertex, stepMode: 'instance' } as const;
  const pipeline = (
    label: string,
    vertexBuffers: readonly (typeof perVertex | typeof perInstance)[],
  ): GraphicsPipelineHandle =>
    rhi.createGraphicsPipeline({
      label,
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'main', buffers: vertexBuffers },
    });
  const pipelines = [
    pipeline('plain', [perVertex]),
    pipeline('two', [perVertex, perVertex]),
    pipeline('instanced', [perInstance, perVertex]),
  ] as const;
  const target = rhi.createViewportTarget('canvas');
  rhi.publish();
  executor.pump();
  for (const _ of pipelines) await fake.finishPipeline();

  let number = 0;
  /** Executes a frame of one pass and returns the pass's calls. */
  const frame = async (body: () => void): Promise<readonly Call[]> => {
    rhi.beginFrame(++number);
    rhi.beginDrawingViewport(target, 8, 8);
    rhi.beginRenderPass({
      label: 'main',
      colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
    });
    body();
    rhi.endRenderPass();
    rhi.endDrawingViewport(target);
    rhi.endFrame();
    rhi.publish();
    executor.pump();
    await fake.completeWork();
    const answer = calls;
    calls = [];
    return answer;
  };
  return { rhi, executor, errors, frame, buffers, indices, groups, pipelines };
}

describe('H1: draws', () => {
  it('bind the recorded ranges of buffers, and set no state twice', async () => {
    const { rhi, executor, frame, buffers, indices, groups, pipelines } = await open(true);
    const calls = await frame(() => {
      rhi.setGraphicsPipeline(pipelines[0]);
      rhi.setIndexBuffer(indices, 'uint16', 0, 6);
      for (let i = 0; i < 6; i++) {
        rhi.setBindGroup(0, groups[i < 4 ? 0 : 1]);
        rhi.setVertexBuffer(0, buffers[0], (i >> 1) * 36, 36);
        rhi.drawIndexed(3, 1, 0, 7, i);
      }
      rhi.draw(3, 2);
    });
    expect(calls).toEqual([
      ['setPipeline', 'plain'],
      ['setIndexBuffer', 'indices', 'uint16', 0, 6],
      ['setBindGroup', 0, 'g'],
      ['setVertexBuffer', 0, 'a', 0, 36],
      ['drawIndexed', 3, 1, 0, 7, 0],
      ['drawIndexed', 3, 1, 0, 7, 1],
      ['setVertexBuffer', 0, 'a', 36, 36],
      ['drawIndexed', 3, 1, 0, 7, 2],
      ['drawIndexed', 3, 1, 0, 7, 3],
      ['setBindGroup', 0, 'h'],
      ['setVertexBuffer', 0, 'a', 72, 36],
      ['drawIndexed', 3, 1, 0, 7, 4],
      ['drawIndexed', 3, 1, 0, 7, 5],
      ['draw', 3, 2, 0, 0],
      ['end'],
    ]);
    expect(executor.stats).toMatchObject({ drawCalls: 7, instances: 8, skippedDraws: 0 });
  });

  it('are skipped and counted if the state that their pipeline needs is incomplete', async () => {
    for (const hasPages of [true, false]) {
      const { rhi, executor, frame, groups, pipelines, buffers } = await open(hasPages);
      const calls = await frame(() => {
        rhi.draw(3);
        rhi.setGraphicsPipeline(pipelines[0]);
        rhi.setBindGroup(0, groups[0]);
        rhi.draw(3);
        rhi.setVertexBuffer(0, buffers[0], 0, 36);
        rhi.drawIndexed(3);
        rhi.draw(3);
      });
      expect(calls.map(([name]) => name)).toEqual([
        'setPipeline',
        'setBindGroup',
        'setVertexBuffer',
        'draw',
        'end',
      ]);
      expect(executor.stats).toMatchObject({ drawCalls: 1, skippedDraws: 3 });
    }
  });

  const step = fc.oneof(
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pipeline'), which: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('group'), which: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('indices'), which: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget'), which: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('draw'), which: fc.nat(3) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('indexed'), which: fc.nat(3) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('vertices'),
        which: fc.constantFrom(0, 0, 0, 0, 1),
        slot: fc.constantFrom(0, 0, 0, 1),
        offset: fc.nat(90).map((i) => i * 36),
      }),
    },
  );

  it('make the same WebGPU calls from a page and record by record', async () => {
    const sides = [await open(false), await open(true)];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const [expected, actual] = await Promise.all(
          sides.map((side) =>
            side.frame(() => {
              const { rhi, buffers, indices, groups, pipelines } = side;
              rhi.setGraphicsPipeline(pipelines[0]);
              for (const taken of steps) {
                const { kind, which } = taken;
                if (kind === 'pipeline') rhi.setGraphicsPipeline(pipelines[which as 0]);
                else if (kind === 'group') rhi.setBindGroup(0, groups[which as 0]);
                else if (kind === 'indices') rhi.setIndexBuffer(indices, 'uint16', which * 4, 36);
                else if (kind === 'forget') rhi.invalidateCachedState();
                else if (kind === 'draw') rhi.draw(3, 1, which);
                else if (kind === 'indexed') rhi.drawIndexed(3, 1, 0, which - 1, which);
                else if ('offset' in taken)
                  rhi.setVertexBuffer(taken.slot, buffers[which as 0], taken.offset, 36);
              }
            }),
          ),
        );
        expect(actual).toEqual(expected);
        expect(sides[1]?.executor.stats.skippedDraws).toBe(sides[0]?.executor.stats.skippedDraws);
      }),
      { numRuns: 200 },
    );
    const reported = sides.flatMap(({ errors }) => errors.map((error) => (error as RhiError).code));
    expect(new Set(reported)).toEqual(new Set(['draw-incomplete']));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../../core/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import {
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
} from '../commands/descriptors.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { CompleteWebGpuExecutor } from './complete/complete-executor.js';
import { createFakeDevice } from './fake-device.js';

const STRIDE = 12;
const BUFFER_BYTES = 3600;

/** A call of a pass: its name and arguments, objects by their label. */
type Call = readonly [name: string, ...args: unknown[]];

/** An executor whose passes write down what they are told, with what a pass needs. */
async function open(hasRuns: boolean) {
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
  const executor = new CompleteWebGpuExecutor({
    device: fake.device,
    reader,
    surface: null,
    maxFramesInFlight: 2,
    surfaceFormat: 'rgba8unorm',
    onError: (error) => errors.push(error),
    onReadback: () => {},
  });
  executor.passBundles = undefined;
  if (!hasRuns) executor.parts.runs = undefined;
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
  const plain = rhi.createShaderModule({ label: 'plain', code: '@location(0) position: vec3f' });
  const counting = rhi.createShaderModule({ label: 'counting', code: '@builtin(vertex_index) i: u32' });
  const perVertex = { arrayStride: STRIDE, attributes: [] };
  const perInstance = { ...perVertex, stepMode: 'instance' } as const;
  const pipeline = (
    label: string,
    module: typeof plain,
    vertexBuffers: readonly (typeof perVertex | typeof perInstance)[],
  ): GraphicsPipelineHandle =>
    rhi.createGraphicsPipeline({
      label,
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'main', buffers: vertexBuffers },
    });
  const pipelines = [
    pipeline('plain', plain, [perVertex]),
    pipeline('counting', counting, [perVertex]),
    pipeline('two', plain, [perVertex, perVertex]),
    pipeline('instanced', plain, [perInstance, perVertex]),
  ] as const;
  const target = rhi.createViewportTarget('canvas');
  rhi.publish();
  executor.pump();
  for (const _ of pipelines) await fake.finishPipeline();

  let number = 0;
  /** Executes a frame of one pass and answers with the pass's calls. */
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
type Opened = Awaited<ReturnType<typeof open>>;

/** Draws by what the vertex shader gets: where the first vertex of each buffer lies, and all else as it was set. */
function meaning(calls: readonly Call[]): string[] {
  const draws: string[] = [];
  const vertices = new Map<unknown, readonly unknown[]>();
  const groups = new Map<unknown, unknown>();
  let pipeline: unknown;
  let indices: unknown;
  for (const [name, ...args] of calls) {
    if (name === 'setPipeline') pipeline = args[0];
    else if (name === 'setIndexBuffer') indices = args;
    else if (name === 'setBindGroup') groups.set(args[0], args[1]);
    else if (name === 'setVertexBuffer') vertices.set(args[0], args.slice(1));
    else if (name === 'draw' || name === 'drawIndexed') {
      const slot = pipeline === 'plain' ? 0 : pipeline === 'instanced' ? 1 : -1;
      const [label, offset] = vertices.get(slot) ?? [];
      const rest = [...vertices].filter(([other]) => other !== slot).sort();
      const numbers = [...args];
      let first: unknown = vertices.get(slot);
      if (name === 'drawIndexed' && slot >= 0) {
        first = [label, (offset as number) + (numbers[3] as number) * STRIDE];
        numbers[3] = 0;
      }
      draws.push(JSON.stringify([name, pipeline, numbers, first, rest, [...groups].sort(), indices]));
    }
  }
  return draws;
}

const ranges = (calls: readonly Call[]) => calls.filter(([name]) => name === 'setVertexBuffer');

describe('H1: ranges of one vertex buffer', () => {
  const drawRanges = ({ rhi, buffers, indices, groups, pipelines }: Opened, count: number): void => {
    rhi.setGraphicsPipeline(pipelines[0]);
    rhi.setBindGroup(0, groups[0]);
    rhi.setIndexBuffer(indices, 'uint16', 0, 6);
    for (let i = 0; i < count; i++) {
      rhi.setVertexBuffer(0, buffers[0], i * 36, 36);
      rhi.drawIndexed(3, 1, 0, 7, i);
    }
  };

  it('are told by base vertices from the fourth after the first on', async () => {
    const side = await open(true);
    const calls = await side.frame(() => drawRanges(side, 6));
    expect(calls.slice(3)).toEqual([
      ['setVertexBuffer', 0, 'a', 0, 36],
      ['drawIndexed', 3, 1, 0, 7, 0],
      ['setVertexBuffer', 0, 'a', 36, 36],
      ['drawIndexed', 3, 1, 0, 7, 1],
      ['setVertexBuffer', 0, 'a', 72, 36],
      ['drawIndexed', 3, 1, 0, 7, 2],
      ['setVertexBuffer', 0, 'a', 108, 36],
      ['drawIndexed', 3, 1, 0, 7, 3],
      ['setVertexBuffer', 0, 'a', 0, BUFFER_BYTES],
      ['drawIndexed', 3, 1, 0, 19, 4],
      ['drawIndexed', 3, 1, 0, 22, 5],
      ['end'],
    ]);
    expect(side.executor.stats).toMatchObject({ drawCalls: 6, instances: 6, skippedDraws: 0 });
  });

  it('begin whole vertices behind where the buffer is bound', async () => {
    const side = await open(true);
    const { rhi, buffers } = side;
    const calls = await side.frame(() => {
      drawRanges(side, 1);
      for (let i = 0; i < 6; i++) {
        rhi.setVertexBuffer(0, buffers[0], 8 + i * 36, 36);
        rhi.drawIndexed(3);
      }
    });
    expect(ranges(calls).at(-1)).toEqual(['setVertexBuffer', 0, 'a', 8, BUFFER_BYTES - 8]);
    expect(calls.at(-2)).toEqual(['drawIndexed', 3, 1, 0, 15, 0]);
  });

  it('are set as recorded where one is no whole number of vertices away, or reaches out of the buffer', async () => {
    for (const [byteOffset, byteLength] of [
      [40, 36],
      [BUFFER_BYTES - 24, 36],
    ] as const) {
      const side = await open(true);
      const { rhi, buffers } = side;
      const calls = await side.frame(() => {
        drawRanges(side, 8);
        rhi.setVertexBuffer(0, buffers[0], byteOffset, byteLength);
        rhi.drawIndexed(3);
      });
      expect(calls.slice(-3)).toEqual([
        ['setVertexBuffer', 0, 'a', byteOffset, byteLength],
        ['drawIndexed', 3, 1, 0, 0, 0],
        ['end'],
      ]);
    }
  });

  it('are set as recorded before a draw without indices, a change of pipeline and any other command', async () => {
    for (const other of [
      ({ rhi }: Opened) => rhi.draw(3),
      ({ rhi, pipelines }: Opened) => rhi.setGraphicsPipeline(pipelines[1]),
      ({ rhi }: Opened) => rhi.invalidateCachedState(),
    ]) {
      const side = await open(true);
      const calls = await side.frame(() => {
        drawRanges(side, 8);
        other(side);
      });
      expect(ranges(calls).at(-1)).toEqual(['setVertexBuffer', 0, 'a', 252, 36]);
    }
  });

  it('are set as recorded for a shader that reads its vertex index, and for two buffers of vertices', async () => {
    for (const pipeline of [1, 2] as const) {
      const side = await open(true);
      const { rhi, pipelines, buffers } = side;
      const calls = await side.frame(() => {
        drawRanges(side, 0);
        rhi.setGraphicsPipeline(pipelines[pipeline]);
        rhi.setVertexBuffer(1, buffers[1], 0, 36);
        for (let i = 0; i < 8; i++) {
          rhi.setVertexBuffer(0, buffers[0], i * 36, 36);
          rhi.drawIndexed(3);
        }
      });
      expect(ranges(calls)).toHaveLength(9);
    }
  });

  const step = fc.oneof(
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pipeline'), which: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('group'), which: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('draw'), which: fc.nat(3) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('indexed'), which: fc.nat(3) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('vertices'),
        which: fc.constantFrom(0, 0, 0, 0, 1),
        slot: fc.constantFrom(0, 0, 0, 1),
        offset: fc.oneof(
          fc.nat(90).map((i) => i * 36),
          fc.nat(900).map((i) => i * 4),
        ),
      }),
    },
    {
      // What makes buffers be bound whole.
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('many'), which: fc.nat(1), slot: fc.nat(1) }),
    },
  );

  it('give every draw the same vertices as set one by one', async () => {
    const sides = [await open(false), await open(true)];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const [expected, actual] = await Promise.all(
          sides.map((side) =>
            side.frame(() => {
              const { rhi, buffers, groups, pipelines } = side;
              drawRanges(side, 1);
              for (const taken of steps) {
                const { kind, which } = taken;
                if (kind === 'pipeline') rhi.setGraphicsPipeline(pipelines[which as 0]);
                else if (kind === 'group') rhi.setBindGroup(0, groups[which as 0]);
                else if (kind === 'draw') rhi.draw(3, 1, which);
                else if (kind === 'indexed') rhi.drawIndexed(3, 1, 0, which - 1, which);
                else if ('offset' in taken)
                  rhi.setVertexBuffer(taken.slot, buffers[which as 0], taken.offset, 36);
                else if ('slot' in taken) {
                  for (let i = 0; i < 6; i++) {
                    rhi.setVertexBuffer(taken.slot, buffers[which as 0], i * 36, 36);
                    rhi.drawIndexed(3);
                  }
                }
              }
            }),
          ),
        );
        expect(meaning(actual ?? [])).toEqual(meaning(expected ?? []));
        expect(sides[1]?.executor.stats.skippedDraws).toBe(sides[0]?.executor.stats.skippedDraws);
      }),
      { numRuns: 200 },
    );
    expect(sides.flatMap(({ errors }) => errors)).toEqual([]);
  });
});

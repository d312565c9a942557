/**
 * VALIDATION: the cost of the RHI's validation layer. A list of 5,000 draws is recorded and executed in Node, with and
 * without the layer. Each draw has its own bind group offset, vertex buffer range and index buffer range. The list runs
 * on the null executor and on the WebGPU executor. The WebGPU executor's device does nothing, so that only this
 * engine's code is measured. On both executors, the order of the draws changes every frame. In a third case, on the
 * WebGPU executor, the order stays the same. Without the layer, the executor then replays a bundle.
 */
import { createLocalStream } from '../../src/core/streams/page-stream.js';
import { validate } from '../../src/rhi/validation/validate.js';
import { createFakeDevice } from '../../src/rhi/webgpu/fake-device.test-support.js';
import { BufferUsage, ImmediateContext, NullExecutor, rhiCommands, WebGpuExecutor } from '../../src/rhi.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median, quantile } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const DRAWS = 5000;
const COMMANDS_PER_DRAW = 4;
const CASES = [
  { name: 'null', isNull: true, isChanging: true },
  { name: 'webgpu, another order every frame', isNull: false, isChanging: true },
  { name: 'webgpu, unchanged', isNull: false, isChanging: false },
] as const;
type Case = (typeof CASES)[number];

export async function runValidation({ frames, warmup, log }: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const measured of CASES) {
    const { name } = measured;
    const sides = await Promise.all([
      openList(measured, false, failures),
      openList(measured, true, failures),
    ]);
    const samples: number[][] = [[], []];
    // The executors with and without the layer run in turns, so that other load of the machine affects both.
    for (let frame = 0; frame < warmup + frames; frame++) {
      for (const [side, runFrame] of sides.entries()) {
        const milliseconds = await runFrame();
        if (frame >= warmup) samples[side]?.push(milliseconds);
      }
    }
    const [off = [], on = []] = samples;
    const [offMs, onMs] = [median(off), median(on)];
    const [offFastestMs, onFastestMs] = [quantile(off, 0), quantile(on, 0)];
    log(`VALIDATION ${name}: ${offMs.toFixed(2)} ms off, ${onMs.toFixed(2)} ms on`);
    results.push({
      id: 'VALIDATION',
      engine: name,
      version: '',
      draws: DRAWS,
      offMs,
      onMs,
      offFastestMs,
      onFastestMs,
      ratio: onMs / offMs,
      fastestRatio: onFastestMs / offFastestMs,
    });
  }
  return {
    results,
    failures,
    targets: results.map(({ engine, ratio }) =>
      atMost(`VALIDATION.${engine}`, `validation on ÷ off, ${DRAWS} draws, ${engine}`, ratio as number, 3),
    ),
    table: [
      `V · validation of ${DRAWS} draws · ms per frame, recorded and executed in Node`,
      formatTable(
        ['executor', '', 'off', 'on', 'on ÷ off', 'fastest: off', 'on', 'on ÷ off', 'ns per command'],
        results.map(({ engine, offMs, onMs, ratio, offFastestMs, onFastestMs, fastestRatio }) => [
          engine,
          '',
          ...[offMs, onMs, ratio, offFastestMs, onFastestMs, fastestRatio].map(formatNumber),
          formatNumber(
            (((onFastestMs as number) - (offFastestMs as number)) * 1e6) / (DRAWS * COMMANDS_PER_DRAW),
          ),
        ]),
      ),
    ].join('\n'),
  };
}

/** @returns a function that records and executes one frame, and resolves with its milliseconds */
async function openList(
  { name, isNull, isChanging }: Case,
  isValidated: boolean,
  failures: string[],
): Promise<() => Promise<number>> {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const onError = (error: unknown): void => {
    failures.push(`VALIDATION ${name}: ${String(error)}`);
  };
  const fake = createFakeDevice();
  const options = {
    reader: isValidated ? validate(reader, { onError }) : reader,
    surface: null,
    maxFramesInFlight: 2,
    onError,
    onReadback: () => {},
  };
  const executor = isNull
    ? new NullExecutor(options)
    : new WebGpuExecutor({ ...options, device: withoutLog(fake.device), surfaceFormat: 'rgba8unorm' });
  const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
  const { target, record } = createDraws(rhi);
  rhi.publish();
  executor.pump();
  await fake.finishPipeline();
  let frame = 0;
  return async () => {
    const began = performance.now();
    rhi.beginFrame(++frame);
    rhi.beginDrawingViewport(target, 64, 64);
    record(isChanging ? frame : 0);
    rhi.endDrawingViewport(target);
    rhi.endFrame();
    rhi.publish();
    executor.pump();
    const milliseconds = performance.now() - began;
    if (executor.stats.drawCalls !== DRAWS) {
      onError(new Error(`${executor.stats.drawCalls} of ${DRAWS} draws were made`));
    }
    fake.take();
    await fake.completeWork();
    return milliseconds;
  };
}

function createDraws(rhi: ImmediateContext) {
  const target = rhi.createViewportTarget('canvas');
  const module = rhi.createShaderModule({ label: 'shader', code: '' });
  const layout = rhi.createBindGroupLayout({
    label: 'layout',
    entries: [{ binding: 0, visibility: 1, buffer: { hasDynamicOffset: true } }],
  });
  const uniforms = rhi.createBuffer({
    label: 'uniforms',
    byteLength: DRAWS * 256,
    usage: BufferUsage.uniform | BufferUsage.copyTarget,
  });
  const entries = [{ binding: 0, buffer: uniforms, byteLength: 256 }];
  const group = rhi.createBindGroup({ label: 'group', layout, entries });
  const geometry = rhi.createBuffer({
    label: 'geometry',
    byteLength: DRAWS * 128,
    usage: BufferUsage.vertex | BufferUsage.index | BufferUsage.copyTarget,
  });
  const pipeline = rhi.createGraphicsPipeline({
    label: 'pipeline',
    bindGroupLayouts: [layout],
    vertex: {
      module,
      entryPoint: 'v',
      buffers: [{ arrayStride: 12, attributes: [{ format: 'float32x3', offset: 0, shaderLocation: 0 }] }],
    },
    fragment: { module, entryPoint: 'f', targets: [{ format: 'rgba8unorm' }] },
  });
  const pass = {
    label: 'draws',
    colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
  } as const;
  const offset = new Uint32Array(1);
  const record = (first: number): void => {
    rhi.beginRenderPass(pass);
    rhi.setGraphicsPipeline(pipeline);
    for (let i = 0; i < DRAWS; i++) {
      const draw = (first + i) % DRAWS;
      offset[0] = draw * 256;
      rhi.setBindGroup(0, group, offset);
      rhi.setVertexBuffer(0, geometry, draw * 128, 96);
      rhi.setIndexBuffer(geometry, 'uint16', draw * 128 + 96, 24);
      rhi.drawIndexed(12);
    }
    rhi.endRenderPass();
  };
  return { target, record };
}

/**
 * Returns a device that records no calls. The fake device records them, which would cost more than the measured code.
 */
function withoutLog(device: GPUDevice): GPUDevice {
  const nothing = (): void => {};
  const names = 'setPipeline setBindGroup setVertexBuffer setIndexBuffer draw drawIndexed end executeBundles';
  const pass = Object.fromEntries(names.split(' ').map((name) => [name, nothing]));
  const bundle = () => ({ ...pass, finish: () => ({}) });
  const encoder = { beginRenderPass: () => pass, finish: () => ({}) };
  return {
    ...device,
    createCommandEncoder: () => encoder,
    createRenderBundleEncoder: bundle,
  } as unknown as GPUDevice;
}

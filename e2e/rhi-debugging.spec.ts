// H3, H8: the engine's own RHI with bypass, trace and validation, through the options of `createEngine`.
import type { Page } from '@playwright/test';
import type { ThreadingMode } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

/** A pass that reports whether its draw has already reached WebGPU when the recording call returns. */
const PROBE = `
let drawn = 0;
const { draw } = GPURenderPassEncoder.prototype;
GPURenderPassEncoder.prototype.draw = function (...args) {
  drawn++;
  return draw.apply(this, args);
};
export default ({ graph, post }) => {
  graph.addPass('view', (view) => {
    let pipeline;
    return {
      name: 'probe',
      kind: 'raster',
      setup(builder) {
        view.color = builder.color(view.color);
      },
      prepare({ rhi }) {
        if (pipeline) return;
        const module = rhi.createShaderModule({ label: 'probe', code: \`
          @vertex fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
            return vec4f(f32(index & 1) * 4.0 - 1.0, f32(index >> 1) * 4.0 - 1.0, 0.0, 1.0);
          }
          @fragment fn green() -> @location(0) vec4f { return vec4f(0.0, 0.3, 0.0, 0.0); }\` });
        const add = { srcFactor: 'one', dstFactor: 'one', operation: 'add' };
        pipeline = rhi.createGraphicsPipeline({
          label: 'probe',
          bindGroupLayouts: [],
          vertex: { module, entryPoint: 'corner' },
          fragment: {
            module,
            entryPoint: 'green',
            targets: [{ format: view.colorFormat, blend: { color: add, alpha: add } }],
          },
        });
      },
      execute({ rhi }) {
        rhi.setGraphicsPipeline(pipeline);
        const before = drawn;
        rhi.draw(3);
        post(drawn > before);
      },
    };
  });
};`;

interface Result {
  readonly hash: string;
  /** Whether the probe's draw was executed in the call that recorded it. */
  readonly isAtOnce: boolean;
  readonly lines: readonly string[];
  readonly errors: readonly string[];
}

/** Draws a scene with the probe, and captures its third frame. */
function show(
  page: Page,
  threading: ThreadingMode,
  options: { rhiBypass?: boolean; isTraced?: boolean; validation?: boolean },
): Promise<Result> {
  return page.evaluate(
    async ([threading, { isTraced, ...options }, probe]) => {
      const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
      const lines: string[] = [];
      const engine = await createEngine(window.kit.view, {
        threading,
        background: '#123',
        ...options,
        ...(isTraced && { rhiTrace: (line: string) => lines.push(line) }),
      });
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
      const { world } = engine;
      world.addCamera({ position: [1.5, 1.2, 3], lookAt: [0, 0, 0] });
      world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3, castShadow: true });
      const cube = world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
      const url = URL.createObjectURL(new Blob([probe], { type: 'text/javascript' }));
      const module = await engine.addRenderModule(url, { name: 'probe' });
      let isAtOnce = false;
      module.onMessage((value) => {
        isAtOnce = value as boolean;
      });
      for (let frame = 0; frame < 3; frame++) {
        cube.rotateY(0.2);
        await engine.step(0.1);
      }
      const { data } = await engine.captureFrame();
      await engine.flush();
      await engine.dispose();
      return { hash: window.kit.hash(data), isAtOnce, lines, errors };
    },
    [threading, options, PROBE] as const,
  );
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`H3: bypass executes each command in the call that records it, with equal pixels, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    for (const threading of ['single', 'render'] as const) {
      const results: Result[] = [];
      for (const rhiBypass of [false, true]) {
        await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
        results.push(await show(page, threading, { rhiBypass }));
      }
      const [recorded, bypassed] = results;
      expect([recorded?.isAtOnce, bypassed?.isAtOnce], threading).toEqual([false, true]);
      expect(bypassed?.hash, threading).toBe(recorded?.hash);
      expect([recorded?.errors, bypassed?.errors]).toEqual([[], []]);
    }
  });

  test(`H8: the trace has every command once and in order, the same in every mode, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    const traces: string[] = [];
    for (const threading of modesOf(isolation)) {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const { lines, errors } = await show(page, threading, { isTraced: true, validation: true });
      expect(errors).toEqual([]);
      const frames = lines
        .filter((line) => /^(begin|end)Frame /.test(line))
        .map((line) => line.split(' ')[0]);
      expect(frames.length).toBeGreaterThan(5);
      expect(frames.every((name, index) => name === ['beginFrame', 'endFrame'][index % 2])).toBe(true);
      // Commands of the probe's pass and of the engine's own passes.
      expect(lines.some((line) => /^ +draw vertexCount=3 /.test(line))).toBe(true);
      expect(lines.some((line) => /^ +drawIndexed indexCount=36 /.test(line))).toBe(true);
      traces.push(lines.join('\n'));
    }
    expect(new Set(traces).size).toBe(1);
  });
}

test('H3: a mode that records on another thread refuses bypass', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const refusals = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const codeOf = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'resolved',
        ({ name, code, message }) => `${name} ${code}: ${message}`,
      );
    const view = window.kit.view;
    const created = await codeOf(createEngine(view, { threading: 'render+rhi', rhiBypass: true }));
    const engine = await createEngine(view, { rhiBypass: true });
    const switched = await codeOf(engine.setThreading('render+rhi'));
    await engine.setThreading('single');
    await engine.step(0.1);
    await engine.dispose();
    return [created, switched];
  });
  expect(refusals[0]).toMatch(/^OptionError option-invalid: createEngine: with rhiBypass,/);
  expect(refusals[1]).toMatch(/^OptionError option-invalid: setThreading: with rhiBypass,/);
});

import { OPTIONAL_FEATURES } from '../src/rhi/commands/capabilities.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// H10: `createEngine` enables the GPU features and limits that a page requires. If the adapter lacks some of
// them, `createEngine` rejects and names them.

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  test(`H10: required features and limits are requested, and the adapter’s missing ones are named: ${threading}`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    const result = await page.evaluate(async (threading) => {
      const { createEngine } = window.fencepost;
      const adapter = (await navigator.gpu.requestAdapter()) as GPUAdapter;
      const { maxComputeWorkgroupStorageSize, maxTextureDimension2D } = adapter.limits;
      // This limit is raised only because the page requires it. The engine itself keeps WebGPU's default.
      const engine = await createEngine(window.kit.view, {
        threading,
        requiredFeatures: [...adapter.features].filter(
          (name) => name === 'shader-f16' || name === 'subgroups',
        ),
        requiredLimits: { maxComputeWorkgroupStorageSize },
      });
      await engine.step(0);
      await engine.dispose();
      const refused = await window.kit.refusal(() =>
        createEngine(window.kit.view, {
          threading,
          requiredFeatures: { 'no-such-feature': 1, 'texture-formats': 9 },
          requiredLimits: {
            maxTextureDimension2D: maxTextureDimension2D + 1,
            minUniformBufferOffsetAlignment: 4096,
          },
        }),
      );
      const canvases = window.kit.view.querySelectorAll('canvas').length;
      const wrong = await window.kit.refusal(() =>
        createEngine(window.kit.view, { threading, requiredFeatures: { 'shader-f16': 0 } }),
      );
      return { refused, canvases, wrong: wrong.code, maxTextureDimension2D, maxComputeWorkgroupStorageSize };
    }, threading);
    // The limit must exceed the default, or the request would prove nothing.
    expect(result.maxComputeWorkgroupStorageSize).toBeGreaterThan(16384);
    expect(result.refused.code).toBe('capability-missing');
    expect(result.refused.message).toContain('no-such-feature');
    expect(result.refused.message).toMatch(/texture-formats( \(version 9; there is \d\))?,/);
    expect(result.refused.message).toContain(
      `maxTextureDimension2D ${result.maxTextureDimension2D + 1} (the device has ${result.maxTextureDimension2D})`,
    );
    expect(result.refused.message).not.toContain('minUniformBufferOffsetAlignment');
    expect(result.canvases).toBe(0);
    expect(result.wrong).toBe('option-invalid');
  });
}

test('H10: the engine requests its own optional features that the adapter has, and uses no others', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const { has, runs } = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const adapter = (await navigator.gpu.requestAdapter()) as GPUAdapter;
    const has = [...adapter.features].map(String);
    const runs = [];
    for (const hidden of [[], ['timestamp-query', 'texture-compression-bc']]) {
      const asked: string[] = [];
      const { requestDevice } = GPUAdapter.prototype;
      // Simulates the adapter of a machine that lacks some features.
      const shown = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, 'features') as PropertyDescriptor;
      Object.defineProperty(GPUAdapter.prototype, 'features', {
        configurable: true,
        get: () => new Set(has.filter((name) => !hidden.includes(name))),
      });
      GPUAdapter.prototype.requestDevice = function (descriptor) {
        asked.push(...(descriptor?.requiredFeatures ?? []));
        return requestDevice.call(this, descriptor);
      };
      const engine = await fencepost.createEngine(kit.view, { threading: 'single' });
      const errors = kit.listen(engine);
      kit.addScene(engine);
      engine.stats();
      for (let frame = 0; frame < 4; frame++) await engine.step(0.1);
      while (asked.includes('timestamp-query') && engine.stats().gpuMs === null) await engine.step(0.1);
      const isTimed = engine.stats().gpuMs !== null;
      const { leaks } = await engine.dispose();
      GPUAdapter.prototype.requestDevice = requestDevice;
      Object.defineProperty(GPUAdapter.prototype, 'features', shown);
      runs.push({ asked: asked.sort(), isTimed, errors, leaks });
    }
    return { has, runs };
  });
  const own = Object.keys(OPTIONAL_FEATURES).filter((name) => has.includes(name));
  const less = own.filter((name) => name !== 'timestamp-query' && name !== 'texture-compression-bc');
  expect(less.length).toBeLessThan(own.length);
  expect(runs).toEqual([
    { asked: own.sort(), isTimed: own.includes('timestamp-query'), errors: [], leaks: [] },
    { asked: less.sort(), isTimed: false, errors: [], leaks: [] },
  ]);
});

import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// H10: the GPU features and limits that a page requires are enabled when createEngine resolves. Otherwise it
// rejects and names the missing ones.

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
      `maxTextureDimension2D ${result.maxTextureDimension2D + 1} (it has ${result.maxTextureDimension2D})`,
    );
    expect(result.refused.message).not.toContain('minUniformBufferOffsetAlignment');
    expect(result.canvases).toBe(0);
    expect(result.wrong).toBe('option-invalid');
  });
}

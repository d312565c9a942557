import { findChromium } from '../scripts/find-chromium.mjs';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { chromiumLaunchOptions } from '../src/testing/launch-options.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// R9: a shader that never ends. It also blocks the GPU for all other pages, so this test has a browser of its own.

test('R9: a GPU that a shader keeps for ever is reported with its frame, and the page goes on', async ({
  playwright,
  isolatedURL,
}) => {
  test.setTimeout(timeLimit(120_000));
  const { chromium } = playwright;
  const server = await chromium.launchServer(chromiumLaunchOptions({ executablePath: findChromium() }));
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    const page = await browser.newPage();
    await openEnginePage(page, isolatedURL);
    const result = await page.evaluate(async () => {
      const { fencepost, kit } = window;
      const engine = await fencepost.createEngine(kit.view, {
        threading: 'render',
        watchdog: { gpuReportSeconds: 1 },
      });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 4] });
      const endless = fencepost.shaderMaterial({
        uniforms: { limit: 5 },
        wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
          var sum = point.uv.x;
          while (sum < uniforms.limit) { sum = fract(sum + 0.37); }
          (*appearance).baseColor = vec4f(sum);
        }`,
      });
      world.addMesh({ geometry: fencepost.boxGeometry(), material: endless });
      const silent = new Promise<{ code: string; name: string; message: string }>((resolve) => {
        engine.addEventListener('error', ({ detail }) => resolve(detail));
      });
      engine.start();
      const { code, name, message } = await silent;
      return { code, name, message, framesInFlight: engine.stats().framesInFlight };
    });
    expect(result).toMatchObject({ code: 'gpu-silent', name: 'RhiError' });
    // The page's thread is not blocked, and its figures show the frames that wait for the GPU.
    expect(result.framesInFlight).toBeGreaterThan(0);
    expect(result.message).toMatch(
      /^The GPU has not completed frame \d+ for \d+ s\. A loop in a shader may never end/,
    );
  } finally {
    // A busy GPU process delays a regular close by half a minute.
    await server.kill();
  }
});

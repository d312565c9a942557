import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// G1: views of several worlds share one surface, through the public API.
test('G1: views of two worlds are drawn side by side, and each can be removed alone', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const results: unknown[] = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await fencepost.createEngine(kit.view, { threading, antialias: false });
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
      const other = await engine.createWorld();
      const fill = (world: typeof engine.world, baseColor: string) => {
        const material = fencepost.unlitMaterial({ baseColor });
        world.addMesh({ geometry: fencepost.boxGeometry({ size: 4 }), material });
        return world.addCamera({ position: [0, 0, 5] });
      };
      const red = fill(engine.world, '#f00');
      const green = fill(other, '#0f0');
      // The camera that fills the canvas sees nothing.
      engine.world.addCamera({ position: [0, 0, 5], lookAt: [0, 0, 9] });
      const rect = (x: number) => ({ x, y: 0, width: 0.5, height: 1 });
      const left = engine.addView({ camera: red, rect: rect(0) });
      const right = engine.addView({ camera: green, rect: rect(0.5) });
      const look = async () => {
        await engine.step(0);
        const frame = await engine.captureFrame();
        return [kit.pixel(frame, 32, 64).slice(0, 3), kit.pixel(frame, 96, 64).slice(0, 3)];
      };
      const seen = [await look()];
      left.dispose();
      seen.push(await look());
      right.dispose();
      seen.push(await look());
      await engine.dispose();
      results.push({ errors, seen });
    }
    return results;
  });
  const RED = [255, 0, 0];
  const GREEN = [0, 255, 0];
  const NOTHING = [0, 0, 0];
  const seen = [
    [RED, GREEN],
    [NOTHING, GREEN],
    [NOTHING, NOTHING],
  ];
  expect(results).toEqual(Array(3).fill({ errors: [], seen }));
});

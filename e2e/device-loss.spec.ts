/** A lost GPU device, in every threading mode: the picture comes back byte for byte, and whoever waits gets it. */
import type { Engine } from '../src/index.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const modes = ['single', 'render', 'render+rhi'] as const;

for (const threading of modes) {
  test(`${threading}: a lost device comes back with the same pixels`, async ({
    page,
    isolatedURL,
    expectErrors,
  }) => {
    expectErrors(/device was lost/i);
    await openEnginePage(page, isolatedURL);
    const result = await page.evaluate(async (threading) => {
      const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
      const engine: Engine = await createEngine(window.kit.view, { threading, background: '#123' });
      const { world } = engine;
      world.addCamera({ position: [2, 1.5, 3], lookAt: [0, 0, 0] });
      world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
      world.addMesh({ geometry: boxGeometry(), material: standardMaterial({ baseColor: '#ff7a1a' }) });
      const events: string[] = [];
      for (const type of ['error', 'devicelost', 'devicerestored'] as const)
        engine.addEventListener(type, ({ detail }) => events.push(`${type} ${JSON.stringify(detail)}`));
      await engine.step(0.1);
      const before = window.kit.hash((await engine.captureFrame()).data);
      await engine.simulateDeviceLoss();
      const after = window.kit.hash((await engine.captureFrame()).data);
      await engine.step(0.1);
      const { leaks } = await engine.dispose();
      return { before, after, events, leaks };
    }, threading);
    console.log(JSON.stringify(result));
    expect(result.after).toBe(result.before);
  });
}

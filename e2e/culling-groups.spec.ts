/** R13: groups of primitives at rest are culled as a whole, and primitives in motion one by one. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

/** Number of primitives, in 67 groups of 256. Above 16,384, threads share the tests of single primitives. */
const COUNT = 17_000;

test('R13: a scene at rest is culled by its groups, and a scene in motion primitive by primitive', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async (count) => {
    const { createEngine, planeGeometry, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { taskWorkers: 2, antialias: false });
    const { world } = engine;
    const camera = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 10 } });
    const tiles = world.addInstances({
      geometry: planeGeometry({ size: 0.1 }),
      material: unlitMaterial({ baseColor: '#fa4' }),
      count,
    });
    // Every other group is far outside the picture. No group lies on its border.
    for (let place = 0; place < count; place++) {
      const group = Math.floor(place / 256);
      tiles.positions.set([(place % 16) * 0.2 - 1.5 + (group % 2) * 1000, (group % 8) * 0.2, 0], place * 3);
    }
    /**
     * Draws three frames from slightly different places, because an unchanged view is not culled again. Returns the
     * number of cullings, whether threads shared the tests of single primitives, and the number of visible primitives.
     */
    const look = async (isMoving: boolean) => {
      await engine.startTrace();
      for (let frame = 0; frame < 3; frame++) {
        camera.position.x += 1e-3;
        if (isMoving) tiles.touch();
        await engine.step(0);
      }
      const { traceEvents } = await engine.stopTrace();
      const culls = traceEvents.filter(({ ph, name }) => ph === 'X' && /^cull\b/.test(name));
      const threads = new Set(culls.map(({ tid }) => tid));
      const isShared = traceEvents.some(({ name, tid }) => name === 'loop' && threads.has(tid));
      return { culls: culls.length, isShared, visible: engine.stats().visible };
    };
    await engine.step(0);
    // The helping threads start after the first frame.
    while (!(await look(true)).isShared);
    const moving = await look(true);
    await look(false);
    const resting = await look(false);
    const again = await look(true);
    await engine.dispose();
    return { moving, resting, again };
  }, COUNT);
  const visible = 34 * 256 - (67 * 256 - COUNT);
  expect(seen).toEqual({
    moving: { culls: 3, isShared: true, visible },
    resting: { culls: 3, isShared: false, visible },
    again: { culls: 3, isShared: true, visible },
  });
});

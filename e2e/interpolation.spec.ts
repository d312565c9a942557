import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// G1: objects that move in fixed steps are drawn between their last two steps, through the public API.

test('G1: interpolated steps have the same bytes and pixels in all modes, isolated and not, after a lost device and other threads', async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.slow();
  const results = [];
  for (const url of [isolatedURL, plainURL]) {
    await openEnginePage(page, url);
    const found = await page.evaluate(async () => {
      const { fencepost, kit } = window;
      const all = [];
      for (const threading of ['single', 'render', 'render+rhi'] as const) {
        const engine = await fencepost.createEngine(kit.view, { threading, antialias: false });
        const errors = kit.listen(engine);
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
        const material = fencepost.unlitMaterial({ baseColor: '#fff' });
        const tile = world.addMesh({
          geometry: fencepost.planeGeometry(),
          material,
          position: [-3.5, 3.5, 0],
        });
        const rows = world.addInstances({
          geometry: fencepost.planeGeometry({ size: 0.5 }),
          material,
          count: 3,
        });
        let steps = 0;
        const smooth = fencepost.interpolation([tile, rows]);
        world.onFixedTick(
          () => {
            steps++;
            tile.position.x += 1;
            tile.rotateZ(0.3);
            for (let place = 0; place < 3; place++)
              rows.positions.set([place - 3 + steps * 0.5, place - 2, 0], place * 3);
            rows.touch();
            if (steps !== 5) return;
            tile.position.x = -3.5;
            smooth.jump(tile);
          },
          { hertz: 10, interpolate: smooth },
        );
        await engine.startCapture();
        const xs = [];
        // Each frame lasts 0.4 of a fixed step.
        for (let frame = 0; frame < 14; frame++) {
          await engine.step(0.04);
          xs.push(Math.round(tile.position.x * 100) / 100);
        }
        const capture = (await engine.stopCapture()) as Blob | ArrayBuffer;
        const bytes = new Uint8Array(capture instanceof Blob ? await capture.arrayBuffer() : capture);
        const picture = await kit.picture(engine);
        const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await restored;
        await engine.setThreading(threading === 'single' ? 'render' : 'single');
        await engine.step(0);
        const again = await kit.picture(engine);
        await engine.step(0.02);
        const later = await kit.picture(engine);
        const { leaks } = await engine.dispose();
        all.push({
          capture: kit.hash(bytes),
          picture,
          later,
          xs,
          isSame: again === picture,
          errors: errors.filter((each) => each.startsWith('error')),
          leaks,
        });
      }
      return all;
    });
    results.push(...found);
  }
  expect(results).toHaveLength(6);
  for (const each of results) expect(each).toEqual({ ...results[0], isSame: true, errors: [], leaks: [] });
  expect(results[0]!.later).not.toBe(results[0]!.picture);
  // Each step moves the tile by 1 m. The fifth step jumps back to −3.5.
  expect(results[0]!.xs).toEqual([
    -3.5, -3.5, -3.3, -2.9, -2.5, -2.1, -1.7, -1.3, -0.9, -0.5, -0.1, 0.3, -3.5, -3.5,
  ]);
});

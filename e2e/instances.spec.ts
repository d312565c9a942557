import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

// G2: one mesh in many places, given as arrays of numbers, through the public API.

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`G2: touched instances are drawn at their arrays’ places, in all modes, after a lost device and on other threads, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { fencepost, kit } = window;
      const all = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, { threading, antialias: false });
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
        const tiles = world.addInstances({
          geometry: fencepost.planeGeometry({ size: 0.5 }),
          material: fencepost.unlitMaterial({ baseColor: '#fff' }),
          count: 64,
        });
        for (let place = 0; place < 64; place++) {
          tiles.positions.set([(place % 8) - 3.5, Math.floor(place / 8) - 3.5, 0], place * 3);
        }
        tiles.touch();
        const { actor } = tiles;
        const shown = async (): Promise<string> => {
          await engine.step(0);
          const frame = await engine.captureFrame();
          const rows = Array.from({ length: 8 }, (_, row) =>
            Array.from({ length: 8 }, (_, column) =>
              kit.pixel(frame, column * 16 + 8, 127 - (row * 16 + 8))[0]! > 128 ? 1 : 0,
            ).join(''),
          );
          return rows.join(' ');
        };
        const steps = [await shown()];
        // Changes of the first row: a scale of 0, a distant position, and a change without `touch`.
        tiles.scales.set([0, 0, 0]);
        tiles.touch(0, 1);
        tiles.positions[3] = 100;
        tiles.touch(1, 1);
        tiles.positions[6] = 100;
        steps.push(await shown());
        const picked = await engine.pick(8 + 3 * 16, 127 - 8);
        const rectangle = await engine.pickRectangle(0, 0, 128, 30);
        tiles.count = 60;
        tiles.count = 62;
        tiles.position.set(0, 1, 0);
        steps.push(await shown());
        const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await restored;
        await engine.setThreading(threading === 'single' ? 'render' : 'single');
        steps.push(await shown());
        const { visible, drawCalls, primitives } = engine.stats();
        tiles.destroy();
        const nothing = await shown();
        for (let frame = 0; frame < 6; frame++) await engine.step(0);
        all.push({
          steps,
          nothing,
          stats: [visible, primitives, engine.stats().primitives],
          draws: drawCalls,
          picked: [picked!.instance, picked!.component === tiles, picked!.actor === actor],
          rectangle: rectangle.map(({ instance }) => instance),
          isShared: tiles.positions.buffer instanceof ArrayBuffer ? 'own' : 'shared',
        });
        await engine.dispose();
      }
      return all;
    }, modesOf(isolation));
    const row = '11111111';
    const full = Array(8).fill(row).join(' ');
    const moved = ['00000000', '00111111', ...Array(6).fill(row)].join(' ');
    for (const each of results) {
      expect(each.steps).toEqual([full, full.replace(row, '00111111'), moved, moved]);
      expect(each.nothing).not.toContain('1');
      // 57 of the 62 instances count as visible, even instance 0 with its scale of 0. Four of the top row are
      // above the picture, and one is far to the right.
      expect(each.stats).toEqual([57, 62, 0]);
      // One draw for all instances, and one for tone mapping.
      expect(each.draws).toBe(2);
      expect(each.picked).toEqual([3, true, true]);
      expect(each.rectangle).toEqual([48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]);
      expect(each.isShared).toBe(isolation === 'isolated' ? 'shared' : 'own');
    }
  });
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`G2: a place with invalid numbers is reported and keeps its transform, and all others show, in all modes, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { fencepost, kit } = window;
      const all = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, { threading, antialias: false });
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
        const tiles = world.addInstances({
          geometry: fencepost.planeGeometry(),
          material: fencepost.unlitMaterial({ baseColor: '#fff' }),
          count: 3,
        });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(`${detail.name} ${detail.code}`));
        /** Returns whether white pixels show at (−2, y), (0, y) and (2, y). */
        const show = async (y: number): Promise<boolean[]> => {
          await engine.step(0);
          const frame = await engine.captureFrame();
          return [-2, 0, 2].map((x) => kit.pixel(frame, 64 + x * 16, 64 - y * 16)[0] === 255);
        };
        tiles.positions.set([-2, 0, 0, 0, 0, 0, 2, 0, 0]);
        tiles.rotations.fill(0).set([0, 0, 0, 3], 8);
        tiles.rotations.set([0, 0, 0, 0.5]);
        tiles.rotations.set([0, 0, 0, 1], 4);
        tiles.touch();
        const before = await show(0);
        tiles.positions.set([-2, 2, 0, 0, 2, 0, 2, Number.NaN, 0]);
        tiles.rotations.fill(0, 4, 8);
        tiles.touch();
        const [raised, kept] = [await show(2), await show(0)];
        await engine.flush();
        const found = errors.splice(0);
        tiles.rotations[7] = 1;
        tiles.positions[7] = 2;
        tiles.touch();
        const mended = await show(2);
        await engine.flush();
        all.push({ before, raised, kept, found, mended, later: errors });
        await engine.dispose();
      }
      return all;
    }, modesOf(isolation));
    for (const each of results) {
      expect(each).toEqual({
        before: [true, true, true],
        raised: [true, false, false],
        kept: [false, true, true],
        // One error per record, for its last invalid place.
        found: ['SceneError transform-not-finite'],
        mended: [true, true, true],
        later: [],
      });
    }
  });
}

test('G2: tasks move instances in shared memory', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { antialias: false, taskWorkers: 1 });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const tile = world.addInstances({
      geometry: fencepost.planeGeometry({ size: 2 }),
      material: fencepost.unlitMaterial({ baseColor: '#fff' }),
      count: 1,
    });
    const code = 'export default { raise({ positions }) { positions[1] = 2; } };';
    const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const module = await engine.tasks.load(url);
    await module.run('raise', { positions: tile.positions });
    const look = async () => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return [kit.pixel(frame, 64, 64)[0], kit.pixel(frame, 64, 32)[0]];
    };
    const before = await look();
    tile.touch();
    const after = await look();
    await engine.dispose();
    return { before, after };
  });
  expect(seen).toEqual({ before: [255, 0], after: [0, 255] });
});

test('G3: one call registers thousands of primitives from arrays that the pool fills, with the same result for 0, 1, 2 and 4 workers', async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.slow();
  const results = [];
  for (const [url, workers] of [
    [isolatedURL, [0, 1, 2, 4]],
    [plainURL, [0, 2]],
  ] as const) {
    await openEnginePage(page, url);
    for (const taskWorkers of workers) {
      const result = await page.evaluate(async (taskWorkers) => {
        const { fencepost, kit } = window;
        const engine = await fencepost.createEngine(kit.view, { antialias: false, taskWorkers });
        const errors = kit.listen(engine);
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 32 } });
        const code = `export default {
          place({ positions, scales }, begin, end) {
            for (let place = begin; place < end; place++) {
              positions[place * 3] = (place % 64) - 31.5;
              positions[place * 3 + 1] = Math.floor(place / 64) - 31.5;
              scales[place * 3] = scales[place * 3 + 1] = place % 3 === 0 ? 0.2 : 0.8;
            }
          },
        };`;
        const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
        const module = await engine.tasks.load(url);
        const options = {
          geometry: fencepost.planeGeometry(),
          material: fencepost.unlitMaterial({ baseColor: '#7cf' }),
          count: 4096,
        };
        await engine.startCapture();
        const tiles = world.addInstances(options);
        const gone = world.addInstances(options);
        const { positions, scales } = tiles;
        await module.parallelFor('place', tiles.count, { positions, scales }, { batch: 256 });
        tiles.touch();
        // An actor that was destroyed in the same frame is not registered.
        gone.destroy();
        await engine.step(0);
        const capture = (await engine.stopCapture()) as Blob | ArrayBuffer;
        const bytes = new Uint8Array(capture instanceof Blob ? await capture.arrayBuffer() : capture);
        const picture = await kit.picture(engine);
        const { primitives, visible } = engine.stats();
        const { leaks } = await engine.dispose();
        const wrong = errors.filter((each) => each.startsWith('error'));
        return { bytes: kit.hash(bytes), picture, primitives, visible, wrong, leaks };
      }, taskWorkers);
      results.push(result);
    }
  }
  expect(results).toHaveLength(6);
  for (const each of results) {
    expect(each).toEqual({ ...results[0], primitives: 4096, visible: 4096, wrong: [], leaks: [] });
  }
});

inEveryMode(
  'G3: addMeshes adds different meshes like single calls of addMesh, and adds none if one is invalid',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const material = fencepost.unlitMaterial({ baseColor: '#fc8' });
    const list = Array.from({ length: 64 }, (_, index) => ({
      geometry: fencepost.planeGeometry({ size: 0.2 + index * 0.01 }),
      material,
      position: [(index % 8) - 3.5, Math.floor(index / 8) - 3.5, 0] as const,
    }));
    const look = async (): Promise<string> => {
      await engine.step(0);
      return kit.picture(engine);
    };
    const one = list.map((options) => world.addMesh(options));
    const separate = await look();
    for (const actor of one) actor.destroy();
    const empty = await look();
    const wrong = [...list, { geometry: list[0]!.geometry, scael: 2 }] as typeof list;
    const refused = await kit.refusal(() => world.addMeshes(wrong));
    const afterRefusal = (await look()) === empty;
    const { primitives } = engine.stats();
    const actors = world.addMeshes(list);
    const together = await look();
    return {
      refused: [refused.code, refused.message.slice(0, 24)],
      unchanged: [afterRefusal, primitives, world.actors.length - actors.length],
      isShown: separate !== empty,
      isEqual: together === separate,
      primitives: engine.stats().primitives,
    };
  },
  (seen) => {
    expect(seen).toEqual({
      refused: ['option-unknown', 'Mesh 64 of the list: add'],
      unchanged: [true, 0, 1],
      isShown: true,
      isEqual: true,
      primitives: 64,
    });
  },
);

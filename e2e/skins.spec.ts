import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { skinnedGltf } from './skinned-gltf.js';
import { MODES, modesOf } from './threading-modes.js';

// Skinned meshes, through the public API.

declare global {
  interface Window {
    skinnedGltf: typeof skinnedGltf;
  }
}

async function open(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.skinnedGltf = ${skinnedGltf}`);
}

for (const isolated of [true, false]) {
  test(`joints bend a mesh, its shadow and its bounds, with the same bytes in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await open(page, isolated ? isolatedURL : plainURL);
    const seen = await page.evaluate(async (modes) => {
      const { fencepost, kit } = window;
      const results: { name: string; shown: unknown; bytes: string }[] = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, {
          background: '#000',
          antialias: false,
          threading,
          validation: true,
        });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
        const level = await world.load(window.skinnedGltf());
        // The wall is 1 m behind. The shadow falls on it 1 m to the right.
        const material = fencepost.standardMaterial({ baseColor: '#fff', roughness: 1 });
        world.addMesh({ geometry: fencepost.planeGeometry({ size: 20 }), material, position: [0, 0, -1] });
        world.addDirectionalLight({
          direction: [1, 0, -1],
          intensity: 4,
          castShadow: { mapSize: 1024, cascades: 1 },
        });
        const look = async () => {
          await engine.step(0);
          const frame = await engine.captureFrame();
          const lit = (x: number, y: number): boolean =>
            (kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16))[1] as number) > 60;
          const { min, max } = level.bounds;
          const round = (value: number): number => Math.round(value * 100) / 100;
          return {
            // Probes for the shadows of the upright upper half, the bent upper half and the foot.
            isDark: [!lit(1, 1.7), !lit(0.2, 1), !lit(1, 0.3)],
            visible: engine.stats().visible,
            bounds: [...min.slice(0, 2), ...max.slice(0, 2)].map(round),
            bytes: Array.from(frame.data).join(),
          };
        };
        const straight = await look();
        level.play('bend', { speed: 0, startSeconds: 1 });
        const bent = await look();
        // Moving the foot out of the picture moves the whole bar out.
        level.actors[1]!.root.position.set(50, 0, 0);
        const gone = await look();
        level.actors[1]!.root.position.set(0, 0, 0);
        level.actors[1]!.root.scale.set(-1, 1, 1);
        const mirrored = await look();
        results.push({
          name: threading,
          shown: [straight, bent, gone, mirrored].map(({ isDark, visible, bounds }) => ({
            isDark,
            visible,
            bounds,
          })),
          bytes: [straight, bent, gone, mirrored].map(({ bytes }) => bytes).join(';'),
        });
        const { leaks } = await engine.dispose();
        if (leaks.length || errors.length) throw new Error(JSON.stringify({ leaks, errors }));
      }
      const [first] = results;
      return {
        shown: results.map(({ shown }) => shown),
        isSame: results.map(({ bytes }) => bytes === first!.bytes),
      };
    }, modesOf(isolated));
    for (const shown of seen.shown) {
      expect(shown).toEqual([
        { isDark: [true, false, true], visible: 2, bounds: [-0.25, 0, 0.25, 2] },
        { isDark: [false, true, true], visible: 2, bounds: [-1, 0, 0.25, 1.25] },
        { isDark: [false, false, false], visible: 1, bounds: [49, 0, 50.25, 1.25] },
        { isDark: [false, false, true], visible: 2, bounds: [-0.25, 0, 1, 1.25] },
      ]);
    }
    expect(seen.isSame).toEqual(modesOf(isolated).map(() => true));
  });
}

test('skins survive a device loss, and end with their level', async ({ page, isolatedURL }) => {
  test.slow();
  await open(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { background: '#000', antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    world.setAmbient('#fff', 3);
    const look = async (): Promise<boolean[]> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      const lit = (x: number, y: number): boolean =>
        (kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16))[1] as number) > 60;
      return [lit(0, 1.8), lit(-0.8, 1), lit(0, 0.3)];
    };
    const first = await world.load(window.skinnedGltf());
    const second = await world.load(window.skinnedGltf(), { position: [0, -3, 0] });
    first.play('bend', { speed: 0, startSeconds: 1 });
    const looks = [await look()];
    const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
    await engine.simulateDeviceLoss();
    await restored;
    looks.push(await look());
    await engine.setThreading('single');
    looks.push(await look());
    first.unload();
    looks.push(await look());
    const third = await world.load(window.skinnedGltf());
    looks.push(await look());
    second.unload();
    third.unload();
    looks.push(await look());
    return { looks, leaks: (await engine.dispose()).leaks };
  });
  const bent = [false, true, true];
  const straight = [true, false, true];
  const nothing = [false, false, false];
  expect(seen).toEqual({ looks: [bent, bent, bent, nothing, straight, nothing], leaks: [] });
});

test('vertices of a destroyed joint stay where they were, in every mode, on other threads and devices', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await open(page, isolatedURL);
  const seen = await page.evaluate(async (modes) => {
    const { fencepost, kit } = window;
    const results: unknown[] = [];
    for (const threading of modes) {
      const engine = await fencepost.createEngine(kit.view, {
        background: '#000',
        antialias: false,
        threading,
      });
      const { world } = engine;
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
      world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
      world.setAmbient('#fff', 3);
      const level = await world.load(window.skinnedGltf());
      const look = async () => {
        await engine.step(0);
        const { data } = await engine.captureFrame();
        const { min, max } = level.bounds;
        const round = (value: number): number => Math.round(value * 100) / 100;
        return {
          bytes: Array.from(data).join(),
          bounds: [...min.slice(0, 2), ...max.slice(0, 2)].map(round),
        };
      };
      const middle = level.find('middle')!;
      middle.position.x = 2;
      const before = await look();
      middle.destroy();
      const looks = [await look()];
      // This mesh has reused the id of the joint's node. The camera does not see it.
      world.addMesh({ geometry: fencepost.boxGeometry(), position: [0, 50, 0] });
      looks.push(await look());
      const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
      await engine.simulateDeviceLoss();
      await restored;
      looks.push(await look());
      await engine.setThreading(threading === 'single' ? 'render' : 'single');
      looks.push(await look());
      // The remaining joint still moves its vertices.
      level.find('foot')!.position.x = -1;
      const { bounds } = await look();
      results.push({
        isSame: looks.map(({ bytes }) => bytes === before.bytes),
        bounds: [before.bounds, ...looks.map((each) => each.bounds), bounds],
      });
      const { leaks } = await engine.dispose();
      if (leaks.length || errors.length) throw new Error(JSON.stringify({ leaks, errors }));
    }
    return results;
  }, MODES);
  const still = [-0.25, 0, 2.25, 2];
  const expected = {
    isSame: [true, true, true, true],
    bounds: [still, still, still, still, still, [-1.25, 0, 2.25, 2]],
  };
  expect(seen).toEqual([expected, expected, expected]);
});

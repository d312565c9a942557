import type { Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

// R12: hundreds of lights, through the public API. With more than 16 lights, each pixel evaluates only the
// lights of its cluster.

declare global {
  interface Window {
    hall: ReturnType<typeof createHall>;
  }
}

/**
 * Returns helpers that run in the page. The scene is a floor of 40 m with boxes, seen from a corner, under
 * lights of all sizes.
 */
function createHall() {
  const { fencepost, kit } = window;
  const numberAt = (index: number): number => (Math.sin(index * 127.1) * 43758.5453) % 1;
  return {
    async create(threading: 'single' | 'render' | 'render+rhi' = 'render'): Promise<Engine> {
      const engine = await fencepost.createEngine(kit.view, {
        threading,
        background: '#000',
        antialias: false,
      });
      const { world } = engine;
      const material = fencepost.standardMaterial({ baseColor: '#fff', roughness: 0.6 });
      world.addMesh({
        geometry: fencepost.planeGeometry({ size: 40 }),
        material,
        rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
      });
      const geometry = fencepost.boxGeometry({ size: 2 });
      for (let index = 0; index < 16; index++) {
        const position = [((index % 4) - 1.5) * 8, 1, (Math.floor(index / 4) - 1.5) * 8];
        world.addMesh({ geometry, material, position });
      }
      return engine;
    },
    perspective: ({ world }: Engine) => {
      const camera = world.addCamera({ position: [18, 14, 18], far: 200 });
      camera.lookAt([0, 0, 0]);
      return camera;
    },
    orthographic: ({ world }: Engine) => {
      const camera = world.addCamera({ position: [18, 14, 18], orthographic: { halfHeight: 12 }, far: 200 });
      camera.lookAt([0, 0, 0]);
      return camera;
    },
    addLights({ world }: Engine, count: number, options: { visible?: boolean } = {}) {
      return Array.from({ length: count }, (_, index) => {
        const light = {
          position: [
            numberAt(index) * 18,
            1.5 + Math.abs(numberAt(index + 0.5)),
            numberAt(index + 0.25) * 18,
          ],
          color: [0.5 + numberAt(index) / 2, 0.5, 0.5 - numberAt(index) / 2],
          intensity: 8,
          range: 2 + (index % 5) * 2,
          ...options,
        };
        if (index % 3) return world.addPointLight(light);
        return world.addSpotLight({ ...light, direction: [numberAt(index), -1, 0.2], outerConeAngle: 0.9 });
      });
    },
    async picture(engine: Engine): Promise<Uint8Array> {
      await engine.step(0);
      return new Uint8Array((await engine.captureFrame()).data);
    },
    /** Returns the largest difference of two pictures, 0 to 255, and the mean brightness of the first picture. */
    compare(a: Uint8Array, b: Uint8Array) {
      let most = 0;
      let sum = 0;
      for (const [index, value] of a.entries()) {
        most = Math.max(most, Math.abs(value - b[index]!));
        if (index % 4 < 3) sum += value;
      }
      return { most, mean: sum / (a.length * 0.75) };
    },
  };
}

async function openHall(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.hall = (${createHall})()`);
}

test('R12: clustered lights draw the same picture as evaluating all lights', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openHall(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { hall } = window;
    const results: Record<string, { most: number; mean: number }> = {};
    for (const kind of ['perspective', 'orthographic'] as const) {
      const engine = await hall.create();
      hall[kind](engine);
      hall.addLights(engine, 12);
      const withoutClusters = await hall.picture(engine);
      // These lights are invisible, but they raise the number above 16.
      hall.addLights(engine, 8, { visible: false });
      results[kind] = hall.compare(withoutClusters, await hall.picture(engine));
      await engine.dispose();
    }
    return results;
  });
  for (const [kind, { most, mean }] of Object.entries(seen)) {
    expect(mean, kind).toBeGreaterThan(15);
    expect(most, kind).toBeLessThanOrEqual(1);
  }
});

test('R12: 225 lights shine at their places, also when they move, hide, gain shadows or are destroyed', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openHall(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { kit, fencepost } = window;
    const engine = await fencepost.createEngine(kit.view, { background: '#000', antialias: false });
    const { world } = engine;
    const down = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    const floor = fencepost.standardMaterial({ baseColor: '#fff', roughness: 1 });
    world.addMesh({ geometry: fencepost.planeGeometry({ size: 40 }), material: floor, rotation: down });
    world.addCamera({ position: [0, 20, 0], rotation: down, orthographic: { halfHeight: 8 }, far: 50 });
    // One light hangs over the middle of each of 15 × 15 squares of 1 m. A pixel is 1/8 m.
    const lights = Array.from({ length: 15 * 15 }, (_, index) =>
      world.addPointLight({
        position: [(index % 15) - 7, 0.4, Math.floor(index / 15) - 7],
        range: 0.6,
        intensity: 0.5,
      }),
    );
    const look = async (): Promise<(x: number, z: number) => number> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return (x, z) => kit.pixel(frame, Math.round(64 + x * 8), Math.round(64 + z * 8))[1]!;
    };
    const first = await look();
    const middles = lights.map((_, index) => first((index % 15) - 7, Math.floor(index / 15) - 7));
    const between = first(0.5, 0.5);
    const [one, two, three, four] = lights as [
      (typeof lights)[0],
      (typeof lights)[0],
      (typeof lights)[0],
      (typeof lights)[0],
    ];
    one.position.set(-6.5, 0.4, -6.5);
    two.visible = false;
    three.root.castShadow = true;
    four.destroy();
    const second = await look();
    const after = [-7, -6, -5, -4, -3].map((x) => second(x, -7));
    after.push(second(-6.5, -6.5));
    await engine.dispose();
    return { least: Math.min(...middles), most: Math.max(...middles), between, after };
  });
  expect(seen.least).toBeGreaterThan(150);
  expect(seen.most - seen.least).toBeLessThan(8);
  expect(seen.between).toBe(0);
  const shines = seen.after.map((value) => value > 150);
  expect(shines).toEqual([false, false, true, false, true, true]);
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R12: all modes draw the same picture of 200 lights, also after a lost device and on other threads, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openHall(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const pictures = await page.evaluate(async (modes) => {
      const { hall, kit } = window;
      const results: string[] = [];
      for (const mode of modes) {
        const engine = await hall.create(mode);
        hall.perspective(engine);
        const camera = hall.orthographic(engine);
        engine.addView({ camera, rect: { x: 0.5, y: 0.5, width: 0.5, height: 0.5 } });
        hall.addLights(engine, 200);
        await engine.step(0);
        results.push(await kit.picture(engine));
        if (mode === modes.at(-1)) {
          const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
          await engine.simulateDeviceLoss();
          await restored;
          await engine.step(0);
          results.push(await kit.picture(engine));
          await engine.setThreading('single');
          await engine.step(0);
          results.push(await kit.picture(engine));
        }
        await engine.dispose();
      }
      return results;
    }, modesOf(isolation));
    expect(new Set(pictures).size).toBe(1);
    expect(pictures.length).toBe(modesOf(isolation).length + 2);
  });
}

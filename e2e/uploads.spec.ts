// Memory that the engine writes per frame: uniforms of views (L5), shadows of buffers (M4), instances and lights (M1).
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

for (const isIsolated of [true, false]) {
  const isolation = isIsolated ? 'isolated' : 'not isolated';

  test(`L5: each view has uniforms of its own in each frame, in the same memory, in every mode, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { boxGeometry, createEngine, unlitMaterial } = window.fencepost;
      const { kit } = window;
      interface Measured {
        readonly seen: number[][];
        readonly liveResources: number;
        readonly buffers: number;
      }
      const results: {
        before: Measured;
        moved: number[][];
        after: Measured;
        leaks: readonly unknown[];
        errors: string[];
      }[] = [];
      for (const threading of modes) {
        const engine = await createEngine(kit.view, {
          threading,
          antialias: false,
          pixelRatio: 1,
          validation: true,
        });
        const errors = kit.listen(engine);
        const { world } = engine;
        for (const [x, baseColor] of [[0, '#f00'] as const, [50, '#0f0'] as const, [100, '#00f'] as const]) {
          world.addMesh({
            geometry: boxGeometry({ size: 20 }),
            material: unlitMaterial({ baseColor }),
            position: [x, 0, 0],
          });
        }
        const lookAt = (x: number) =>
          world.addCamera({ position: [x, 0, 30], orthographic: { halfHeight: 5 } });
        const cameras = [50, 100, 0].map(lookAt);
        engine.addView({ camera: cameras[0]!, rect: { x: 0.5, y: 0, width: 0.5, height: 0.5 } });
        engine.addView({ camera: cameras[1]!, rect: { x: 0, y: 0.5, width: 0.5, height: 0.5 } });
        const shown = async (): Promise<number[][]> => {
          const picture = await engine.captureFrame();
          return [
            [32, 32],
            [96, 32],
            [32, 96],
          ].map(([x, y]) => kit.pixel(picture, x!, y!).slice(0, 3));
        };
        const measure = async (): Promise<Measured> => {
          for (let frame = 0; frame < 3; frame++) await engine.step(0);
          const seen = await shown();
          await engine.flush();
          const { liveResources, memory } = engine.stats();
          return { seen, liveResources, buffers: memory.buffers };
        };
        const addAndRemove = async (): Promise<Measured> => {
          const rect = { x: 0.5, y: 0.5, width: 0.5, height: 0.5 };
          const another = engine.addView({ camera: cameras[0]!, rect });
          await measure();
          another.dispose();
          return measure();
        };
        // The first view of a kind, and the first figures, create resources that stay.
        const before = await addAndRemove();
        cameras[0]!.position.set(0, 0, 30);
        const moved = (await measure()).seen;
        cameras[0]!.position.set(50, 0, 30);
        const after = await addAndRemove();
        const { leaks } = await engine.dispose();
        results.push({ before, moved, after, leaks, errors });
      }
      return results;
    }, modesOf(isIsolated));
    const [red, green, blue] = [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
    ];
    for (const { before, moved, after, leaks, errors } of results) {
      expect(before.seen).toEqual([red, green, blue]);
      expect(moved).toEqual([red, red, blue]);
      expect(after).toEqual(before);
      expect([leaks, errors]).toEqual([[], []]);
    }
  });

  test(`M1: instances and lights go straight to the queue, even behind mip levels, in every mode, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { boxGeometry, createEngine, texture, unlitMaterial } = window.fencepost;
      const { kit } = window;
      const results: { uploadPages: number; pixels: number[][]; errors: string[] }[] = [];
      for (const threading of modes) {
        const engine = await createEngine(kit.view, { threading, antialias: false, pixelRatio: 1 });
        const errors = kit.listen(engine);
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 64 } });
        await engine.step(0);
        const pixels: number[][] = [];
        for (const [x, color] of [[-32, [255, 0, 0, 255]] as const, [32, [0, 255, 0, 255]] as const]) {
          // The frame draws the texture's mip levels before it uploads instances and lights.
          const data = new Uint8Array(64 * 64 * 4).map((_, index) => color[index % 4]!);
          const baseColorTexture = texture({ width: 64, height: 64, data });
          world.addMesh({
            geometry: boxGeometry({ size: 20 }),
            material: unlitMaterial({ baseColorTexture }),
            position: [x, 0, 0],
          });
          world.addPointLight({ position: [x, 0, 0] });
          await engine.step(0);
          pixels.push(kit.pixel(await engine.captureFrame(), 64 + x, 64).slice(0, 3));
        }
        const { peak } = engine.stats().memory;
        await engine.dispose();
        results.push({ uploadPages: peak.uploads, pixels, errors });
      }
      return results;
    }, modesOf(isIsolated));
    for (const result of results) {
      expect(result).toEqual({
        uploadPages: 0,
        pixels: [
          [255, 0, 0],
          [0, 255, 0],
        ],
        errors: [],
      });
    }
  });

  test(`M4: a frame uploads the slots that have changed, and no others, in every mode, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { boxGeometry, createEngine, unlitMaterial } = window.fencepost;
      const { kit } = window;
      const results: { uploads: number[]; pixels: number[][]; errors: string[] }[] = [];
      for (const threading of modes) {
        const engine = await createEngine(kit.view, { threading, antialias: false, pixelRatio: 1 });
        const errors = kit.listen(engine);
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 64 } });
        const geometry = boxGeometry();
        for (let index = 0; index < 2000; index++) {
          const position = [(index % 50) - 60, Math.floor(index / 50) - 60, 0] as const;
          world.addMesh({ geometry, material: unlitMaterial({ baseColor: '#fff' }), position });
        }
        const box = world.addMesh({
          geometry: boxGeometry({ size: 4 }),
          material: unlitMaterial({ baseColor: '#f00' }),
          position: [40, 40, 0],
        });
        const uploads: number[] = [];
        const pixels: number[][] = [];
        const draw = async (): Promise<void> => {
          await engine.step(0);
          uploads.push(engine.stats().uploadBytes);
          pixels.push(kit.pixel(await engine.captureFrame(), 64 + 20, 64 - 20).slice(0, 3));
        };
        await draw();
        await draw();
        box.position.set(20, 20, 0);
        await draw();
        box.root.material.baseColor = '#0f0';
        await draw();
        await engine.dispose();
        results.push({ uploads, pixels, errors });
      }
      return results;
    }, modesOf(isIsolated));
    const [black, red, green] = [
      [0, 0, 0],
      [255, 0, 0],
      [0, 255, 0],
    ];
    for (const { uploads, pixels, errors } of results) {
      expect(pixels).toEqual([black, black, red, green]);
      const [first, still, moved, painted] = uploads as [number, number, number, number];
      // A primitive's slot has 64 bytes, and a material's slot has more.
      expect(first).toBeGreaterThan(2000 * 64);
      expect(moved - still).toBeLessThan(16_384);
      expect(painted - still).toBeLessThan(16_384);
      expect(Math.min(moved, painted)).toBeGreaterThan(still);
      expect(errors).toEqual([]);
    }
  });
}

import type { Page } from '@playwright/test';
import type { Actor, CameraComponent, Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { modesOf } from './threading-modes.js';
import { openWallsPage } from './walls.js';

// R11: views of one scene, in parts of the canvas and in textures, through the public API.

declare global {
  interface Window {
    gallery: ReturnType<typeof createGallery>;
  }
}

/** Returns helpers that run in the page: the walls, and reads of their picture. */
function createGallery() {
  const { kit } = window;
  return {
    ...window.walls,
    async pixels(engine: Engine, ...places: readonly (readonly [number, number])[]): Promise<string[]> {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return places.map(([x, y]) => kit.pixel(frame, x, y).slice(0, 3).join());
    },
  };
}

async function openGallery(page: Page, origin: string): Promise<void> {
  await openWallsPage(page, origin);
  await page.evaluate(`window.gallery = (${createGallery})()`);
}

const [RED, GREEN, BLUE, YELLOW, GREY] = ['255,0,0', '0,255,0', '0,0,255', '255,255,0', '32,32,32'];

test('R11, G5: views fill their parts of the canvas, later views cover earlier ones, and a covered main view is not drawn', async ({
  page,
  isolatedURL,
}) => {
  await openGallery(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { gallery } = window;
    const engine = await gallery.create();
    const [red, green, blue, yellow] = gallery.addCameras(engine, 4) as [never, never, never, never];
    const inset = engine.addView({ camera: red, rect: { x: 0.75, y: 0, width: 0.25, height: 0.25 } });
    const results: Record<string, unknown> = {};
    const corners = [
      [4, 4],
      [124, 4],
      [4, 124],
      [124, 124],
      [95, 4],
      [96, 31],
      [96, 32],
    ] as const;
    results.inset = await gallery.pixels(engine, ...corners);
    results.insetVisible = engine.stats().visible;
    inset.rect = { x: 0, y: 0.5, width: 0.5, height: 0.5 };
    results.moved = await gallery.pixels(engine, ...corners);
    inset.enabled = false;
    results.off = await gallery.pixels(engine, ...corners);
    inset.enabled = true;
    const half = { y: 0, width: 0.5, height: 1 };
    const left = engine.addView({ camera: green, rect: { x: 0, ...half } });
    const right = engine.addView({ camera: blue, rect: { x: 0.5, ...half } });
    results.split = await gallery.pixels(engine, ...corners);
    results.splitVisible = engine.stats().visible;
    left.camera = yellow;
    results.otherCamera = await gallery.pixels(engine, ...corners);
    const codeOf = ({ code }: { code: string }): string => code;
    // Each round requests the picture of a view and disposes of the view. Each round waits one turn longer
    // between these calls.
    const passing = new Set<string>();
    for (let turns = 0; turns < 16; turns++) {
      const view = engine.addView({ camera: green, canvas: new OffscreenCanvas(8, 8) });
      const asked = view.captureFrame().then(() => 'a picture', codeOf);
      for (let turn = 0; turn < turns; turn++) await null;
      view.dispose();
      passing.add(await asked);
    }
    results.passing = [...passing].sort();
    right.dispose();
    right.dispose();
    results.disposed = await gallery.pixels(engine, ...corners);
    results.gone = [await right.captureFrame().catch(codeOf), await right.pick(1, 1).catch(codeOf)];
    results.set = [{ camera: green }, { rect: { x: 0, ...half } }, { layers: 1 }, { enabled: false }].map(
      (change) => {
        try {
          Object.assign(right, change);
          return 'nothing was thrown';
        } catch (error) {
          return `${codeOf(error as { code: string })} ${(error as Error).message}`;
        }
      },
    );
    (yellow as { destroy(): void }).destroy();
    results.destroyed = await gallery.pixels(engine, ...corners);
    results.camera = left.camera;
    results.leaks = (await engine.dispose()).leaks;
    return results;
  });
  expect(seen.inset).toEqual([YELLOW, RED, YELLOW, YELLOW, YELLOW, RED, YELLOW]);
  expect(seen.insetVisible).toBe(2);
  expect(seen.moved).toEqual([YELLOW, YELLOW, RED, YELLOW, YELLOW, YELLOW, YELLOW]);
  expect(seen.off).toEqual([YELLOW, YELLOW, YELLOW, YELLOW, YELLOW, YELLOW, YELLOW]);
  expect(seen.split).toEqual([GREEN, BLUE, GREEN, BLUE, BLUE, BLUE, BLUE]);
  // Both halves cover the view of the active camera, so it is not drawn. The inset is also covered, but it is
  // still drawn.
  expect(seen.splitVisible).toBe(3);
  expect(seen.otherCamera).toEqual([YELLOW, BLUE, YELLOW, BLUE, BLUE, BLUE, BLUE]);
  expect(seen.disposed).toEqual([YELLOW, YELLOW, YELLOW, YELLOW, YELLOW, YELLOW, YELLOW]);
  expect(seen.gone).toEqual(['option-invalid', 'option-invalid']);
  expect(seen.passing).toEqual(['option-invalid']);
  expect(seen.set).toEqual(
    ['camera', 'rect', 'layers', 'enabled'].map((name) =>
      expect.stringMatching(`^option-invalid ${name} of a view that was disposed of can't be set\\.`),
    ),
  );
  // The previous camera becomes active. The view of the destroyed camera shows nothing.
  expect(seen.destroyed).toEqual([BLUE, BLUE, RED, BLUE, BLUE, BLUE, BLUE]);
  expect(seen.camera).toBe(null);
  expect(seen.leaks).toEqual([]);
});

for (const isolated of [true, false]) {
  test(`R11: a view’s texture shows in materials of the same frame and can be read, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openGallery(page, isolated ? isolatedURL : plainURL);
    const seen = await page.evaluate(async (modes) => {
      const { planeGeometry, renderTexture, unlitMaterial } = window.fencepost;
      const { gallery } = window;
      const results: Record<string, unknown>[] = [];
      for (const threading of modes) {
        const engine = await gallery.create({ threading, validation: true });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
        const [red, green] = gallery.addCameras(engine, 2) as [never, never];
        const monitor = renderTexture({ width: 64, height: 32 });
        const view = engine.addView({ camera: red, target: monitor });
        const material = unlitMaterial({ baseColorTexture: monitor });
        engine.world.addMesh({ geometry: planeGeometry({ size: 2 }), material, position: [500, 0, 0] });
        engine.world.addCamera({ position: [500, 0, 2], orthographic: { halfHeight: 2 } });
        const shown = await gallery.pixels(engine, [64, 64], [4, 4]);
        view.camera = green;
        const next = await gallery.pixels(engine, [64, 64], [4, 4]);
        view.rect = { x: 0, y: 0, width: 0.5, height: 1 };
        view.camera = red;
        const picture = await monitor.read();
        const texel = (x: number, y: number): string =>
          picture.data.slice((y * picture.width + x) * 4, (y * picture.width + x) * 4 + 4).join();
        const texels = [texel(0, 0), texel(31, 31), texel(32, 0), texel(63, 31)];
        const parts = await gallery.pixels(engine, [34, 64], [94, 64]);
        view.dispose();
        const gone = await monitor.read().catch((error: { code: string }) => error.code);
        const kept = await gallery.pixels(engine, [34, 64]);
        const { leaks } = await engine.dispose();
        const { width, height } = picture;
        results.push({ shown, next, texels, size: [width, height], parts, gone, kept, leaks, errors });
      }
      return results;
    }, modesOf(isolated));
    for (const result of seen) {
      expect(result).toEqual({
        shown: [RED, GREY],
        next: [GREEN, GREY],
        size: [64, 32],
        texels: ['255,0,0,255', '255,0,0,255', '32,32,32,255', '32,32,32,255'],
        parts: [RED, GREY],
        gone: 'render-texture-unused',
        kept: [RED],
        leaks: [],
        errors: [],
      });
    }
    expect(seen).toHaveLength(modesOf(isolated).length);
  });
}

test('R11: views and cameras show only their layers', async ({ page, isolatedURL }) => {
  await openGallery(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { planeGeometry, unlitMaterial } = window.fencepost;
    const { gallery } = window;
    const engine = await gallery.create();
    const [camera] = gallery.addCameras(engine, 1) as [Actor<CameraComponent>];
    const geometry = planeGeometry({ size: 20 });
    const near = engine.world.addMesh({
      geometry,
      material: unlitMaterial({ baseColor: '#0000ff' }),
      position: [0, 0, 1],
      layers: 0b10,
    });
    const half = { y: 0, width: 0.5, height: 1 };
    const left = engine.addView({ camera, rect: { x: 0, ...half }, layers: 0b01 });
    const right = engine.addView({ camera, rect: { x: 0.5, ...half }, layers: 0b11 });
    const places = [
      [32, 64],
      [96, 64],
    ] as const;
    const first = await gallery.pixels(engine, ...places);
    left.layers = 0b10;
    const other = await gallery.pixels(engine, ...places);
    near.root.layers = 0b100;
    const moved = await gallery.pixels(engine, ...places);
    camera.root.layers = 0b10;
    near.root.layers = 0b10;
    const limited = await gallery.pixels(engine, ...places);
    left.enabled = right.enabled = false;
    const main = [...(await gallery.pixels(engine, ...places)), (await engine.pick(32, 64))?.actor === near];
    camera.root.layers = 0b01;
    main.push(...(await gallery.pixels(engine, ...places)), (await engine.pick(32, 64))?.actor === near);
    camera.root.layers = 0xffffffff;
    near.root.layers = 0;
    const none = await gallery.pixels(engine, ...places);
    return { first, other, moved, limited, main, none };
  });
  expect(seen).toEqual({
    first: [RED, BLUE],
    other: [BLUE, BLUE],
    moved: [GREY, RED],
    limited: [BLUE, BLUE],
    main: [BLUE, BLUE, true, RED, RED, false],
    none: [RED, RED],
  });
});

test('R11: each view has its own shadows, or none, however far it is from the others', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openGallery(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { boxGeometry, planeGeometry, renderTexture, standardMaterial } = window.fencepost;
    const { gallery, kit } = window;
    const engine = await gallery.create({ threading: 'render+rhi' });
    const { world } = engine;
    const LOOKS_DOWN = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    const material = standardMaterial({ baseColor: '#fff', roughness: 1 });
    const monitor = renderTexture({ width: 64, height: 64, mipmaps: false });
    world.addDirectionalLight({
      direction: [-1, -1, 0],
      castShadow: { mapSize: 512, cascades: 2 },
      intensity: 3,
    });
    const cameras = [0, 300].map((x) => {
      const position = [x, 0, 0];
      world.addMesh({ geometry: planeGeometry({ size: 20 }), material, position, rotation: LOOKS_DOWN });
      world.addMesh({ geometry: boxGeometry({ size: 1 }), material, position: [x, 2, 0] });
      return world.addCamera({
        position: [x, 20, 0],
        rotation: LOOKS_DOWN,
        orthographic: { halfHeight: 4 },
        far: 50,
      });
    }) as [never, never];
    const half = { y: 0, width: 0.5, height: 1 };
    engine.addView({ camera: cameras[0], rect: { x: 0, ...half } });
    const right = engine.addView({ camera: cameras[1], rect: { x: 0.5, ...half } });
    engine.addView({ camera: cameras[1], target: monitor });
    await engine.step(0);
    const frame = await engine.captureFrame();
    // The box is 1 m in size, and its shadow falls 2 m to its left. 16 pixels are 1 m.
    const at = (x: number, y: number): number => kit.pixel(frame, x, y)[1] as number;
    const picture = await monitor.read();
    const inTexture = (x: number, y: number): number => picture.data[(y * 64 + x) * 4 + 1] as number;
    right.shadows = false;
    await engine.step(0);
    const without = await engine.captureFrame();
    return {
      withoutShadows: [96, 32].map((x) => kit.pixel(without, x - 30, 64)[1]),
      lit: at(96 - 30, 100),
      left: [at(32 - 30, 64), at(32 - 30, 100)],
      right: [at(96 - 30, 64), at(96 - 30, 100)],
      texture: [inTexture(32 - 15, 32), inTexture(32 - 15, 50)],
    };
  });
  const { withoutShadows, lit: ground, ...views } = seen;
  expect(withoutShadows).toEqual([ground, seen.left[0]]);
  for (const [shadowed, lit] of Object.values(views)) {
    expect(shadowed).toBeLessThan(5);
    expect(lit).toBeGreaterThan(100);
  }
});

test('R16: views and their textures survive a device loss and a change of threads', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openGallery(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { planeGeometry, renderTexture, unlitMaterial } = window.fencepost;
    const { gallery } = window;
    const engine = await gallery.create({ threading: 'render' });
    const [red, green] = gallery.addCameras(engine, 2) as [never, never];
    const monitor = renderTexture({ width: 32, height: 32 });
    engine.addView({ camera: red, target: monitor });
    const material = unlitMaterial({ baseColorTexture: monitor });
    engine.world.addMesh({ geometry: planeGeometry({ size: 20 }), material, position: [500, 0, 0] });
    engine.world.addCamera({ position: [500, 0, 2] });
    engine.addView({ camera: green, rect: { x: 0.5, y: 0, width: 0.5, height: 1 } });
    const look = async (): Promise<string[]> => {
      const pixels = await gallery.pixels(engine, [32, 64], [96, 64]);
      return [...pixels, (await monitor.read()).data.slice(0, 3).join()];
    };
    const before = await look();
    const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
    await engine.simulateDeviceLoss();
    await restored;
    const afterLoss = await look();
    await engine.setThreading('render+rhi');
    const onOthers = await look();
    await engine.setThreading('single');
    const onOne = await look();
    return [before, afterLoss, onOthers, onOne];
  });
  for (const look of seen) expect(look).toEqual([RED, GREEN, RED]);
});

test('R11: several views can share one texture, side by side', async ({ page, isolatedURL }) => {
  await openGallery(page, isolatedURL);
  const texels = await page.evaluate(async () => {
    const { renderTexture } = window.fencepost;
    const { gallery } = window;
    const engine = await gallery.create({ validation: true });
    const [red, green] = gallery.addCameras(engine, 2) as [never, never];
    const target = renderTexture({ width: 64, height: 32, mipmaps: true });
    engine.addView({ camera: red, target, rect: { x: 0, y: 0, width: 0.5, height: 1 } });
    engine.addView({ camera: green, target, rect: { x: 0.5, y: 0, width: 0.5, height: 1 } });
    const { width, data } = await target.read();
    const texel = (x: number, y: number): string =>
      data.slice((y * width + x) * 4, (y * width + x) * 4 + 4).join();
    const read = [texel(1, 1), texel(31, 31), texel(32, 1), texel(63, 31)];
    const { leaks } = await engine.dispose();
    return [...read, ...leaks];
  });
  const RED = '255,0,0,255';
  const GREEN = '0,255,0,255';
  expect(texels).toEqual([RED, RED, GREEN, GREEN]);
});

test('R11: a render texture gets mip levels of its picture', async ({ page, isolatedURL }) => {
  await openGallery(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { planeGeometry, renderTexture, unlitMaterial } = window.fencepost;
    const { gallery } = window;
    const results: string[] = [];
    for (const mipmaps of [true, false]) {
      const engine = await gallery.create();
      const { world } = engine;
      // Stripes of one texel. Shown small, the texture has the mean of red and green.
      const stripe = planeGeometry({ width: 1, height: 64 });
      for (let x = 0; x < 64; x++) {
        const material = unlitMaterial({ baseColor: x % 2 === 0 ? '#ff0000' : '#00ff00' });
        world.addMesh({ geometry: stripe, material, position: [x - 31.5, 0, 0] });
      }
      const camera = world.addCamera({ position: [0, 0, 1], orthographic: { halfHeight: 32 } });
      const sampler = { magnify: 'nearest', minify: 'nearest' } as const;
      const target = renderTexture({ width: 64, height: 64, mipmaps, sampler });
      engine.addView({ camera, target });
      const material = unlitMaterial({ baseColorTexture: target });
      world.addMesh({ geometry: planeGeometry({ size: 1 }), material, position: [500, 0, 0] });
      world.addCamera({ position: [500, 0, 1], orthographic: { halfHeight: 32 } });
      const [pixel] = await gallery.pixels(engine, [64, 64]);
      results.push(pixel as string);
      await engine.dispose();
    }
    return results;
  });
  // Half of the light of each colour, in sRGB.
  expect(seen[0]).toBe('188,188,0');
  expect([RED, GREEN]).toContain(seen[1]);
});

test('an invalid view is refused with the reason, and nothing of it remains', async ({
  page,
  isolatedURL,
}) => {
  await openGallery(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { renderTexture, texture } = window.fencepost;
    const { gallery } = window;
    const engine = await gallery.create();
    const [camera] = gallery.addCameras(engine, 1) as [never];
    const mesh = engine.world.actors[0];
    const view = engine.addView({ camera });
    const pixels = texture({ width: 1, height: 1, data: new Uint8Array(4) });
    const attempts: (() => unknown)[] = [
      () => engine.addView(undefined as never),
      () => engine.addView({} as never),
      () => engine.addView({ camera: mesh as never }),
      () => engine.addView({ camera, rect: { x: 0, y: 0, width: 640, height: 480 } }),
      () => engine.addView({ camera, rect: { x: 0.6, y: 0, width: 0.5, height: 1 } }),
      () => engine.addView({ camera, rect: [0, 0, 1, 1] as never }),
      () => engine.addView({ camera, target: pixels as never }),
      () => engine.addView({ camera, target: 'screen' as never }),
      () => engine.addView({ camera, layers: 1.5 }),
      () => engine.addView({ camera, canvass: null } as never),
      () => {
        view.rect = { x: Number.NaN, y: 0, width: 1, height: 1 };
      },
      () => renderTexture({ width: 0, height: 4 }),
      () => renderTexture({ width: 4, height: 4, mipmaps: 'yes' as never }),
      () => renderTexture(undefined as never),
    ];
    const messages = attempts.map((attempt) => {
      try {
        attempt();
        return 'nothing';
      } catch (error) {
        const { code, message } = error as { code: string; message: string };
        return `${code}: ${message}`;
      }
    });
    const rect = { ...view.rect };
    const unused = await renderTexture({ width: 4, height: 4 })
      .read()
      .catch((error: { code: string }) => error.code);
    const pixelsAfter = await gallery.pixels(engine, [64, 64]);
    return { messages, rect, unused, pixelsAfter };
  });
  for (const each of seen.messages) expect(each).toMatch(/^option-(invalid|unknown|out-of-range): /);
  expect(seen.messages[3]).toContain('in fractions of the canvas');
  expect(seen.rect).toEqual({ x: 0, y: 0, width: 1, height: 1 });
  expect(seen.unused).toBe('render-texture-unused');
  expect(seen.pixelsAfter).toEqual([RED]);
});

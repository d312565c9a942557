import type { Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// R11: views of one scene, in parts of the canvas and in textures, through the public API.

const MODES = ['single', 'render', 'render+rhi'] as const;

declare global {
  interface Window {
    gallery: ReturnType<typeof createGallery>;
  }
}

/** In the page: coloured walls, 100 m from each other, each with a camera that sees nothing else. */
function createGallery() {
  const { fencepost, kit } = window;
  const { planeGeometry, unlitMaterial } = fencepost;
  const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00'];
  return {
    async create(options = {}): Promise<Engine> {
      return fencepost.createEngine(kit.view, { background: '#202020', antialias: false, ...options });
    },
    /** The last one is the active camera. */
    addCameras({ world }: Engine, count: number) {
      return COLORS.slice(0, count).map((baseColor, index) => {
        const x = index * 100;
        const wall = { geometry: planeGeometry({ size: 20 }), material: unlitMaterial({ baseColor }) };
        world.addMesh({ ...wall, position: [x, 0, 0] });
        return world.addCamera({ position: [x, 0, 5] });
      });
    },
    async pixels(engine: Engine, ...places: readonly (readonly [number, number])[]): Promise<string[]> {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return places.map(([x, y]) => kit.pixel(frame, x, y).slice(0, 3).join());
    },
  };
}

async function openGallery(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.gallery = (${createGallery})()`);
}

const [RED, GREEN, BLUE, YELLOW, GREY] = ['255,0,0', '0,255,0', '0,0,255', '255,255,0', '32,32,32'];

test('R11: views share the canvas: each fills its part, later ones lie over earlier ones, and what they cover is not drawn', async ({
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
    right.dispose();
    right.dispose();
    results.disposed = await gallery.pixels(engine, ...corners);
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
  // The active camera's is covered; the inset is, too, and costs what it did.
  expect(seen.splitVisible).toBe(3);
  expect(seen.otherCamera).toEqual([YELLOW, BLUE, YELLOW, BLUE, BLUE, BLUE, BLUE]);
  expect(seen.disposed).toEqual([YELLOW, YELLOW, YELLOW, YELLOW, YELLOW, YELLOW, YELLOW]);
  // The camera before takes over; the view that had it shows nothing.
  expect(seen.destroyed).toEqual([BLUE, BLUE, RED, BLUE, BLUE, BLUE, BLUE]);
  expect(seen.camera).toBe(null);
  expect(seen.leaks).toEqual([]);
});

for (const isolated of [true, false]) {
  test(`R11: a texture that a view is drawn into shows in materials of the same frame and can be read, ${isolated ? 'isolated' : 'not isolated'}`, async ({
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
    }, MODES);
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
    expect(seen).toHaveLength(MODES.length);
  });
}

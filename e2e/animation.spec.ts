import type { Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { animatedGltf } from './animated-gltf.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// Clips of glTF files, through the public API.

const MODES = ['single', 'render', 'render+rhi'] as const;

declare global {
  interface Window {
    theatre: ReturnType<typeof createTheatre>;
    animatedGltf: typeof animatedGltf;
  }
}

/** In the page: 8 m of the plane z = 0, of which a pixel shows 1/16 m. */
function createTheatre() {
  const { fencepost, kit } = window;
  return {
    async create(options = {}): Promise<Engine> {
      const engine = await fencepost.createEngine(kit.view, {
        background: '#000',
        antialias: false,
        ...options,
      });
      engine.world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
      return engine;
    },
    /** The middle of all that is lit, in metres, to 1/32; how many pixels are lit. */
    async look(engine: Engine, seconds: number): Promise<[x: number, y: number, lit: number]> {
      await engine.step(seconds);
      const { data, width, height } = await engine.captureFrame();
      let [lit, x, y] = [0, 0, 0];
      for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
          if ((data[(row * width + column) * 4] as number) < 128) continue;
          lit++;
          x += column + 0.5;
          y += row + 0.5;
        }
      }
      const metres = (sum: number): number => Math.round(((sum / lit - 64) / 16) * 32) / 32;
      return [metres(x), 0 - metres(y), lit];
    },
  };
}

async function openTheatre(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.theatre = (${createTheatre})()`);
  await page.evaluate(`{
    const SIZES = { translation: 3, rotation: 4, scale: 3, weights: 1 };
    const TYPES = { 1: 'SCALAR', 3: 'VEC3', 4: 'VEC4' };
    window.animatedGltf = ${animatedGltf};
  }`);
}

for (const isolated of [true, false]) {
  test(`clips move what they name in every mode, to the same bytes, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTheatre(page, isolated ? isolatedURL : plainURL);
    const seen = await page.evaluate(async (modes) => {
      const { theatre } = window;
      const results: unknown[] = [];
      for (const threading of modes) {
        const engine = await theatre.create({ threading, validation: true });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
        const level = await engine.world.load(
          window.animatedGltf([
            {
              name: 'slide',
              channels: [
                { path: 'translation', times: [0, 1, 2], values: [0, 0, 0, 2, 0, 0, 2, 2, 0] },
                { path: 'scale', times: [0, 1], values: [1, 1, 1, 2, 1, 1], interpolation: 'STEP' },
              ],
            },
            {
              name: 'turn',
              channels: [
                { path: 'rotation', times: [0, 1], values: [0, 0, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2] },
              ],
            },
          ]),
        );
        const { animations, warnings } = level;
        const still = await theatre.look(engine, 0);
        const slide = level.play('slide');
        const begun = await theatre.look(engine, 0);
        const half = await theatre.look(engine, 0.5);
        const one = await theatre.look(engine, 0.5);
        const more = await theatre.look(engine, 0.5);
        const time = slide.time;
        const again = await theatre.look(engine, 1);
        slide.stop();
        const stopped = await theatre.look(engine, 0.25);
        const { leaks } = await engine.dispose();
        results.push({
          animations: animations.map(({ name, duration }) => [name, duration]),
          looks: [still, begun, half, one, more, again, stopped],
          time,
          warnings,
          leaks,
          errors,
        });
      }
      return results;
    }, MODES);
    for (const result of seen) {
      expect(result).toEqual({
        animations: [
          ['slide', 2],
          ['turn', 1],
        ],
        looks: [
          [0, 0, 256],
          [0, 0, 256],
          [1, 0, 256],
          [2, 0, 512],
          [2, 1, 512],
          [1, 0, 256],
          [0, 0, 256],
        ],
        time: 1.5,
        warnings: [],
        leaks: [],
        errors: [],
      });
    }
  });
}

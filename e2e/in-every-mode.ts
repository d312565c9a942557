/**
 * Runs a scene in all threading modes, isolated and not. Every feature must draw the same pixels in all of
 * them, also after a lost device and a change of threads. Errors and leaks fail the test.
 */
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

/**
 * A function that runs in the page, so it can't use anything outside its body. Its result, and the picture of
 * the engine that it leaves, are compared between modes.
 */
export type Scene = (engine: Engine) => Promise<unknown>;

declare global {
  interface Window {
    runScene: Scene;
  }
}

/**
 * Adds a test of the scene for isolated pages and one for pages that are not.
 * @param check checks the scene's result, which is the same in every mode
 */
export function inEveryMode(title: string, scene: Scene, check: (seen: unknown) => void): void {
  for (const isolated of [true, false]) {
    test(`${title}, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      test.slow();
      await openEnginePage(page, isolated ? isolatedURL : plainURL);
      await page.evaluate(`window.runScene = ${scene}`);
      const results = await page.evaluate(async (modes) => {
        const { fencepost, kit, runScene } = window;
        const results: { seen: unknown; pictures: string[]; errors: string[]; leaks: unknown }[] = [];
        for (const [index, threading] of modes.entries()) {
          const engine = await fencepost.createEngine(kit.view, {
            threading,
            antialias: false,
            validation: true,
          });
          const errors: string[] = [];
          engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
          const seen = await runScene(engine);
          const pictures = [await kit.picture(engine)];
          const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
          await engine.simulateDeviceLoss();
          await restored;
          await engine.whenReady();
          await engine.step(0);
          pictures.push(await kit.picture(engine));
          await engine.setThreading(modes[(index + 1) % modes.length] ?? 'single');
          await engine.whenReady();
          await engine.step(0);
          pictures.push(await kit.picture(engine));
          const { leaks } = await engine.dispose();
          results.push({ seen, pictures, errors: [...new Set(errors)], leaks });
        }
        return results;
      }, MODES);
      for (const { pictures, errors, leaks } of results) {
        expect({ errors, leaks }).toEqual({ errors: [], leaks: [] });
        expect(new Set(pictures)).toEqual(new Set(results[0]?.pictures));
        expect(new Set(pictures).size).toBe(1);
      }
      for (const { seen } of results) expect(seen).toEqual(results[0]?.seen);
      expect(results).toHaveLength(MODES.length);
      check(results[0]?.seen);
    });
  }
}

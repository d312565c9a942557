/**
 * Runs a scene in threading modes, isolated and not. Every feature must draw the same pixels in all of them, on both
 * kinds of pages, also after a lost device and changes of threads. Errors and leaks fail the test.
 *
 *   isolated       scene in render+rhi ─► lost device ─► render
 *   not isolated   scene in single ─► render+rhi
 *
 * Compiling the pipelines for one more device takes seconds on a software adapter, so `npm test` leaves out what
 * differs least from these. With `FENCEPOST_ALL_MODES=1` the scene starts in each mode, isolated and not.
 */
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { type MODES, RUNS_ALL_MODES } from './threading-modes.js';

/**
 * A function that runs in the page, so it can't use anything outside its body. Its result and the engine's
 * picture at its end are compared between modes.
 */
export type Scene = (engine: Engine) => Promise<unknown>;

type Mode = (typeof MODES)[number];

/** For each engine of a page: the mode in which its scene runs, and the modes to which its threads then change. */
type Routes = readonly (readonly [Mode, ...Mode[]])[];

const ALL_ROUTES: Routes = [
  ['single', 'render'],
  ['render', 'render+rhi'],
  ['render+rhi', 'single'],
];
const ISOLATED_ROUTES: Routes = [['render+rhi', 'render']];
const OTHER_ROUTES: Routes = [['single', 'render+rhi']];

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
  // The first result of the scene, which all later ones equal. A test that runs alone has only its own.
  let first: { readonly seen: unknown; readonly pictures: readonly string[] } | undefined;
  for (const isolated of [true, false]) {
    const routes = RUNS_ALL_MODES ? ALL_ROUTES : isolated ? ISOLATED_ROUTES : OTHER_ROUTES;
    const losesDevice = isolated || RUNS_ALL_MODES;
    test(`${title}, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      test.slow();
      await openEnginePage(page, isolated ? isolatedURL : plainURL);
      await page.evaluate(`window.runScene = ${scene}`);
      const results = await page.evaluate(
        async ({ routes, losesDevice }) => {
          const { fencepost, kit, runScene } = window;
          const results: { seen: unknown; pictures: string[]; errors: string[]; leaks: unknown }[] = [];
          for (const [threading, ...others] of routes) {
            const engine = await fencepost.createEngine(kit.view, {
              threading,
              antialias: false,
              validation: true,
            });
            const errors: string[] = [];
            engine.addEventListener('error', ({ detail }) =>
              errors.push(`${detail.code}: ${detail.message}`),
            );
            const seen = await runScene(engine);
            const pictures = [await kit.picture(engine)];
            const drawAgain = async () => {
              await engine.whenReady();
              await engine.step(0);
              pictures.push(await kit.picture(engine));
            };
            if (losesDevice) {
              const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
              await engine.simulateDeviceLoss();
              await restored;
              await drawAgain();
            }
            for (const other of others) {
              await engine.setThreading(other);
              await drawAgain();
            }
            const { leaks } = await engine.dispose();
            results.push({ seen, pictures, errors: [...new Set(errors)], leaks });
          }
          return results;
        },
        { routes, losesDevice },
      );
      first ??= results[0];
      for (const { seen, pictures, errors, leaks } of results) {
        expect({ errors, leaks }).toEqual({ errors: [], leaks: [] });
        expect(new Set(pictures)).toEqual(new Set([first?.pictures[0]]));
        expect(seen).toEqual(first?.seen);
      }
      expect(results).toHaveLength(routes.length);
      check(results[0]?.seen);
    });
  }
}

/**
 * T8, T14: the asset worker shares decoding with workers of the engine's pool, which are called its helpers
 * here. The pictures equal those without helpers. If a helper dies, the load that it works for rejects.
 */
import type { Page } from '@playwright/test';
import { heavyScene } from '../bench/lib/heavy-scene.js';
import { helperCount } from '../src/assets/decoding-workers/decoding-pool.js';
import { divideWorkers } from '../src/threads/tasks/create-task-system.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

/** A model as base64. Its 0.4 MB of Draco data are enough for the asset worker to start a helper. */
let file: string;
test.beforeAll(async () => {
  const bytes = await heavyScene({ patches: 16, edge: 70, pictures: 4, pictureSize: 128 });
  file = Buffer.from(bytes).toString('base64');
});

interface DecodingRoutes {
  /** The number of workers that have fetched Draco's decoder. */
  decoders: number;
  /** Code that runs first in a helper: before Draco's decoder, the first file that a helper fetches. */
  helper: string;
  /** Makes the asset worker see one core, so that it starts no helper. */
  isAlone: boolean;
}

/**
 * Counts Draco decoders, and delays the asset worker's messages, so that helpers start before all data is
 * decoded.
 */
async function routeDecoding(page: Page, helper = ''): Promise<DecodingRoutes> {
  const routes = { decoders: 0, helper, isAlone: false };
  await page.route('**/asset-worker.js', async (route) => {
    const response = await route.fetch();
    const slow = `{ const post = MessagePort.prototype.postMessage; MessagePort.prototype.postMessage = function (...all) { setTimeout(() => post.apply(this, all), 300); }; }`;
    const alone = `Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 });`;
    const before = routes.isAlone ? alone : slow;
    await route.fulfill({ response, body: `${before}\n${await response.text()}` });
  });
  await page.route('**/decoder-draco.js', async (route) => {
    routes.decoders++;
    const response = await route.fetch();
    const isHelper = `self.location.pathname.endsWith('/task-worker.js')`;
    await route.fulfill({
      response,
      body: `if (${isHelper}) { ${routes.helper} }\n${await response.text()}`,
    });
  });
  return routes;
}

for (const isolated of [true, false]) {
  const where = isolated ? 'isolated' : 'not isolated';

  test(`T8 T14: the picture is the same with a helper and without, in every mode, ${where}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolated ? isolatedURL : plainURL);
    const pictures = () =>
      page.evaluate(
        async ({ modes, file }) => {
          const { fencepost, kit } = window;
          const hashes: string[] = [];
          for (const threading of modes) {
            const engine = await fencepost.createEngine(kit.view, {
              threading,
              antialias: false,
              background: '#000',
            });
            const { world } = engine;
            world.addCamera({ position: [0, 6, 9], lookAt: [0, 0, 0], fovY: 0.9 });
            world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
            const progress: number[] = [];
            const level = await world.load(kit.bytes(file), {
              onProgress: ({ loadedBytes }) => progress.push(loadedBytes),
            });
            if (level.warnings.length > 0) throw new Error(level.warnings.join());
            if (progress.some((bytes, at) => bytes < (progress[at - 1] ?? 0)))
              throw new Error('It went back.');
            await engine.step(0);
            const { data } = await engine.captureFrame();
            const lit = data.filter((value, at) => at % 4 === 0 && value > 20).length;
            if (lit < 1000) throw new Error('The picture shows nothing.');
            const hash = await crypto.subtle.digest('SHA-256', data.slice());
            hashes.push([...new Uint8Array(hash)].join(' '));
            await engine.dispose();
          }
          return hashes;
        },
        { modes: modesOf(isolated), file },
      );
    const routes = await routeDecoding(page);
    const shared = await pictures();
    // The asset worker and each helper fetch one decoder. The file is large enough for two helpers if the
    // machine has enough cores.
    const cores = await page.evaluate(() => navigator.hardwareConcurrency);
    const { normal, background } = divideWorkers(Math.max(1, Math.min(8, cores - 1)));
    const helpers = Math.min(2, helperCount(cores), background || normal);
    expect(routes.decoders).toBe((1 + helpers) * modesOf(isolated).length);
    routes.isAlone = true;
    const alone = await pictures();
    expect(routes.decoders).toBe((2 + helpers) * modesOf(isolated).length);
    expect(new Set([...shared, ...alone]).size).toBe(1);
  });

  test(`a helper that dies rejects its load with the file's name; later loads succeed or can be aborted, ${where}`, async ({
    page,
    isolatedURL,
    plainURL,
    expectErrors,
  }) => {
    expectErrors(/helper is killed/);
    await openEnginePage(page, isolated ? isolatedURL : plainURL);
    const routes = await routeDecoding(
      page,
      `setTimeout(() => { throw new Error('The helper is killed.'); });`,
    );
    const load = (isAborted: boolean) =>
      page.evaluate(
        async ({ modes, file, isAborted }) => {
          const { fencepost, kit } = window;
          const outcomes: string[] = [];
          for (const threading of modes) {
            const engine = await fencepost.createEngine(kit.view, { threading });
            const controller = new AbortController();
            const { signal } = controller;
            const onProgress = () => isAborted && setTimeout(() => controller.abort(), 5);
            const source = new File([kit.bytes(file)], 'hills.glb');
            const outcome = await engine.world.load(source, { signal, onProgress }).then(
              ({ actors }) => `${actors.length >= 16}`,
              (error: Error & { code: string }) =>
                `${error.name} ${error.code} ${error.message.includes('"hills.glb"')}`,
            );
            const left = engine.world.levels.length;
            outcomes.push(`${outcome}, ${left} levels`);
            await engine.dispose();
          }
          return outcomes;
        },
        { modes: modesOf(isolated), file, isAborted },
      );
    expect(new Set(await load(false))).toEqual(new Set(['ThreadError asset-worker-died true, 1 levels']));
    routes.helper = '';
    expect(new Set(await load(false))).toEqual(new Set(['true, 2 levels']));
    expect(new Set(await load(true))).toEqual(new Set(['AbortError 20 false, 1 levels']));
  });
}

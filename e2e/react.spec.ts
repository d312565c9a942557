/** `fencepost/react` in a browser, bundled from the packed library, and the programs of docs/guide/react.md. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { build } from 'esbuild';
import type { Engine } from 'fencepost';
import { makeLampModel } from '../scripts/lib/lamp-model.mjs';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { createSandbox, projectRoot, type Sandbox } from './packaging/consumer.js';
import { type StaticServer, serveStatic } from './packaging/static-server.js';

const guide = readFileSync('docs/guide/react.md', 'utf8');
/** Programs of the guide. The engine of the scene becomes `window.engine`. */
const programs = Object.fromEntries(
  [...guide.matchAll(/^```jsx (\S+)\n(.*?)^```$/gms)].map(([, file = '', code = '']) => [
    file,
    code.replace('<Scene ', '<Scene onReady={(engine) => { globalThis.engine = engine; }} '),
  ]),
);

let sandbox: Sandbox;
let server: StaticServer;

test.beforeAll(async () => {
  // React is installed in this project's folder, above the consumer's.
  sandbox = createSandbox(join(projectRoot, 'test-results'));
  const root = sandbox.createConsumer('react-scene', {
    // Without this file, esbuild would use the tsconfig.json of the folder above.
    'tsconfig.json': '{}',
    'page.ts': readFileSync('e2e/pages/react.ts', 'utf8'),
    ...programs,
  });
  const out = join(root, 'public');
  await build({
    absWorkingDir: root,
    entryPoints: ['page.ts', 'main.jsx', 'configurator.jsx', 'spinner.jsx'],
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    // React runs effects twice only in development.
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
  });
  const dist = join(root, 'node_modules/fencepost/dist');
  mkdirSync(out, { recursive: true });
  for (const file of readdirSync(dist).filter((each) => each.includes('worker')))
    copyFileSync(join(dist, file), join(out, file));
  writeFileSync(join(out, 'lamp.glb'), await makeLampModel());
  writeFileSync(
    join(out, 'index.html'),
    `<!doctype html><title>React</title><link rel="icon" href="data:,">
     <style>body { margin: 0; } #view, #map { width: 64px; height: 64px; }</style>
     <div id="view"></div><div id="map"></div>`,
  );
  server = await serveStatic(out, { isIsolated: true });
});
test.afterAll(async () => {
  await server?.close();
  sandbox?.dispose();
});

async function open(page: Page, script: string): Promise<void> {
  await page.goto(`${server.origin}/`);
  await page.evaluate((file) => import(file), `/${script}`);
}

/** Returns a pixel of the canvas, once all is drawn. Default: the middle one. */
const pixelOf = (page: Page, x = 32, y = 32): Promise<number[]> =>
  page.evaluate(
    async (place) => {
      const { engine } = globalThis as unknown as { engine: Engine };
      await engine.whenReady();
      const { data, width } = await engine.captureFrame();
      const at = (place.y * width + place.x) * 4;
      return [...data.slice(at, at + 3)];
    },
    { x, y },
  );

test('a scene in strict mode: picture, contexts, events, elements, a view, faults, and nothing left', async ({
  page,
  expectErrors,
}) => {
  // In development, React prints an error that a boundary has caught.
  expectErrors(/createEngine has no option "exposre"/);
  await open(page, 'page.js');
  // One canvas for the scene, and one for the view.
  expect(await page.evaluate(() => window.page.show())).toBe(2);
  await expect(page.getByText('Loading')).toHaveCount(0);
  expect((await page.evaluate(() => window.page.pixels()))[0]).toEqual([255, 0, 0, 255]);
  await expect(page.locator('.label')).toHaveText('#f00');
  const at = await page.locator('.label').boundingBox();
  expect(Math.abs((at?.x ?? 0) + (at?.width ?? 0) / 2 - 32)).toBeLessThan(2);
  await page.evaluate(() => window.page.seen.setColor('#0f0'));
  await expect
    .poll(() => page.evaluate(() => window.page.pixels()), { timeout: timeLimit(30_000) })
    .toEqual([
      [0, 255, 0, 255],
      [0, 255, 0, 255, 0, 0, 255, 255],
      [2, 3],
    ]);
  await page.mouse.click(20, 20);
  await expect.poll(() => page.evaluate(() => window.page.seen.clicks)).toBe(1);
  expect(await page.evaluate(() => window.page.showFaults())).toEqual(['canvas-in-use', 'option-unknown']);
  expect(await page.evaluate(() => window.page.showBriefly())).toBe(0);
  expect(await page.evaluate(() => [window.page.seen.engines.length, window.page.seen.errors])).toEqual([
    1,
    [],
  ]);
  const angle = await page.evaluate(async (file) => {
    const { Spinner } = await import(file);
    return window.page.spin(Spinner);
  }, '/spinner.js');
  expect(angle).toBeCloseTo(0.5, 5);
  expect(await page.evaluate(() => window.page.close())).toEqual([0, 0]);
});

test('the first program of the guide draws its cube', async ({ page }) => {
  await open(page, 'main.js');
  await page.waitForFunction(() => 'engine' in globalThis);
  const [red = 0, green = 0, blue = 0] = await pixelOf(page);
  expect(red).toBeGreaterThan(green * 1.5);
  expect(green).toBeGreaterThan(blue);
});

test('the configurator of the guide loads its model, paints it, and leaves nothing', async ({ page }) => {
  await open(page, 'configurator.js');
  await expect(page.getByText('Loading')).toHaveCount(1);
  await page.waitForFunction(() => 'engine' in globalThis);
  await expect(page.locator('.label')).toHaveText('sea');
  // A place on the shade of the lamp.
  const [x, y] = [49, 18];
  const isBluish = async () => {
    const [red = 0, , blue = 0] = await pixelOf(page, x, y);
    return blue > red;
  };
  await expect.poll(isBluish).toBe(true);
  await page.getByRole('button', { name: 'moss' }).click();
  await expect(page.locator('.label')).toHaveText('moss');
  await expect.poll(isBluish).toBe(false);
  await page.mouse.click(x, y);
  await expect(page.locator('.label')).toHaveText('Click to paint');
  await expect.poll(isBluish).toBe(true);
  const leaks = await page.evaluate(async () => {
    const { root } = (await import('/configurator.js' as string)) as { root: { unmount(): void } };
    root.unmount();
    await Promise.resolve();
    return (await (globalThis as unknown as { engine: Engine }).engine.dispose()).leaks;
  });
  expect(leaks).toEqual([]);
});

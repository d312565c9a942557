/**
 * The testing kit's clock, and docs/guide/testing.md, whose test runs here as printed. This file registers the
 * printed test. The server's root page is the page that the guide prints.
 */
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import * as kit from 'fencepost/testing';
import { expect, test } from './fixtures.js';

const guide = readFileSync('docs/guide/testing.md', 'utf8');
const blocks = new Map(
  [...guide.matchAll(/^```[jt]s (\S+)\n(.*?)^```$/gms)].map(([, file = '', code = '']) => [file, code]),
);
const printed = (file: string): string => blocks.get(file) ?? '';
const HEADERS = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

test.beforeEach(async ({ context, baseURL }) => {
  await context.route(`${baseURL}/`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: HEADERS,
      body: `<!doctype html><link rel="icon" href="data:,"><div id="view" style="width: 64px; height: 48px"></div>
             <script type="module" src="/guide/main.js"></script>`,
    }),
  );
  await context.route('**/guide/main.js', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      headers: HEADERS,
      body: printed('main.js').replace("'fencepost'", "'/dist/index.js'"),
    }),
  );
});

// The kit can take the clock only in a fresh page.
test.use({ hasFreshPage: true });

// The printed test's imports are removed, and this file provides their values. The test is registered here,
// where Playwright knows the file.
const { code } = transformSync(printed('cube.spec.ts').replace(/^import .*$/gm, ''), { loader: 'ts' });
const tests: Parameters<typeof test>[] = [];
const collect = (...each: Parameters<typeof test>): unknown => tests.push(each);
new Function('test', 'expect', ...Object.keys(kit), code)(collect, expect, ...Object.values(kit));
for (const each of tests) test(...each);

test('the guide prints a configuration, a page and a test, and names every function of the kit', () => {
  expect([...blocks.keys()]).toEqual(['playwright.config.ts', 'main.js', 'cube.spec.ts']);
  for (const name of Object.keys(kit)) expect(guide, name).toMatch(new RegExp(`\`${name}[(\`]`));
});

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  test(`frames that a page runs before the steps make no difference: ${threading}`, async ({
    page,
    isolatedURL,
  }) => {
    await kit.takeClock(page);
    const pictures: kit.Image[] = [];
    for (const animationFrames of [0, 30]) {
      await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
      await page.evaluate(
        async ({ threading, animationFrames }) => {
          document.body.innerHTML = '<div id="view" style="width: 32px; height: 32px"></div>';
          const url = '/dist/index.js';
          const { boxGeometry, createEngine, spin, unlitMaterial }: typeof import('fencepost') = await import(
            url
          );
          const view = document.querySelector('#view') as HTMLElement;
          const engine = await createEngine(view, { threading, antialias: 1 });
          engine.world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
          const mesh = { geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#fff' }) };
          const ticked = engine.world.addMesh({ ...mesh, position: [-1, 0, 0] });
          engine.world.onTick((seconds) => ticked.rotateZ(seconds));
          // This mesh turns by the render thread's clock.
          const moved = engine.world.addMesh({ ...mesh, position: [1, 0, 0] });
          moved.motion = spin({ axis: [0, 0, 1], radiansPerSecond: 1 });
          engine.start();
          for (let frame = 0; frame < animationFrames; frame++) {
            await new Promise((resolve) => requestAnimationFrame(resolve));
          }
          Object.assign(globalThis, { engine });
        },
        { threading, animationFrames },
      );
      await kit.waitForEngine(page);
      await kit.stepFrames(page, { frames: 3, deltaSeconds: 0.1 });
      pictures.push(await kit.readPixels(page));
    }
    const [early, late] = pictures as [kit.Image, kit.Image];
    expect(kit.pixelAt(early, 10, 16)).toEqual([255, 255, 255, 255]);
    expect(kit.compareImages(early, late).differentPixels).toBe(0);
  });
}

test('takeClock is refused after the page was opened', async ({ page, isolatedURL }) => {
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  await expect(kit.takeClock(page)).rejects.toThrow(/before page\.goto/);
});

test('steps and read-backs are refused on a page without an engine, and so are fractions of frames', async ({
  page,
  isolatedURL,
}) => {
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  await expect(kit.stepFrames(page)).rejects.toThrow(/stepFrames found no engine .* "engine"/);
  await expect(kit.readPixels(page, { engine: 'game' })).rejects.toThrow(
    /readPixels found no engine .* "game"/,
  );
  await expect(kit.stepFrames(page, { frames: 1.5 })).rejects.toThrow(/frames of stepFrames is 1.5/);
});

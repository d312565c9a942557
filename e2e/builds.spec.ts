/**
 * Files of different builds reject each other with an error that names the file. The pairs are the page's code
 * with its workers, and a worker with its tools.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { buildLibrary } from '../scripts/build.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const OTHER = '0.0.0+other';
let folder = '';

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fencepost-build-'));
  await buildLibrary({ outdir: folder, types: false, build: OTHER });
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Serves one file of another build, like a cache that keeps an old file after a deployment. */
async function serveFromOtherBuild(page: Page, name: string): Promise<void> {
  await page
    .context()
    .route(`**/dist/${name}`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: readFileSync(join(folder, name), 'utf8') }),
    );
}

const expected = (file: string) => ({
  name: 'ThreadError',
  code: 'builds-differ',
  message: expect.stringMatching(new RegExp(`${file}.* comes from build .*dist/ of one build`)),
});

for (const threading of ['render', 'render+rhi'] as const) {
  test(`a worker of another build is refused, ${threading}`, async ({ page, plainURL }) => {
    await serveFromOtherBuild(page, 'worker.js');
    await openEnginePage(page, plainURL);
    const error = await page.evaluate((threading) => window.kit.startRefusal({ threading }), threading);
    expect(error).toMatchObject(expected('worker.js'));
    expect(error.message).toContain(OTHER);
    expect(error.message).toMatch(/from build \d+\.\d+\.\d+\+[0-9a-f]{8}\b/);
  });

  test(`tools and loaders of another build are refused, and the engine continues, ${threading}`, async ({
    page,
    plainURL,
  }) => {
    for (const name of ['worker-tools.js', 'asset-worker.js']) await serveFromOtherBuild(page, name);
    await openEnginePage(page, plainURL);
    const { refusals, frame } = await page.evaluate(async (threading) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      window.kit.addScene(engine);
      await engine.step(0);
      const refusals = [
        await window.kit.refusal(() => engine.startCapture()),
        await window.kit.refusal(() => engine.world.load(new ArrayBuffer(4))),
      ];
      await engine.step(0);
      const { frame } = engine.stats();
      await engine.dispose();
      return { refusals, frame };
    }, threading);
    expect(refusals).toEqual([expected('worker-tools.js'), expected('asset-worker.js')]);
    expect(frame).toBe(2);
  });
}

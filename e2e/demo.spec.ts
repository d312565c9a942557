/** The demo as a visitor meets it: both pages, every threading mode, a file of one's own, a blocked main thread. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { writeTestAssets } from '../scripts/make-test-assets.mjs';
import type { Engine, EngineStats } from '../src/index.js';
import { expect, test } from './fixtures.js';

async function openDemo(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForSelector('html[data-ready="true"]', { state: 'attached', timeout: 45_000 });
}

/** The figures of the demo's engine. */
function statsOf(page: Page): Promise<EngineStats> {
  return page.evaluate(() => (window as unknown as { engine: Engine }).engine.stats());
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`the swarm runs in every threading mode, ${isolation}`, async ({ page, isolatedURL, plainURL }) => {
    test.setTimeout(120_000);
    const origin = isolation === 'isolated' ? isolatedURL : plainURL;
    for (const threading of ['single', 'render', 'render+rhi']) {
      const query = `?count=1000&threading=${encodeURIComponent(threading)}`;
      await openDemo(page, `${origin}/demo/swarm.html${query}`);
      await expect
        .poll(async () => (await statsOf(page)).presentedFrames, { timeout: 20_000 })
        .toBeGreaterThan(0);
      const stats = await statsOf(page);
      expect(stats.primitives).toBeGreaterThanOrEqual(1000);
      expect(stats.drawCalls).toBeLessThan(20);
    }
  });
}

test('the viewer shows its island, takes a file of one’s own, and refuses a broken one kindly', async ({
  page,
  isolatedURL,
  expectErrors,
}, testInfo) => {
  test.setTimeout(120_000);
  expectErrors(/garbage\.glb/);
  const folder = testInfo.outputPath('models');
  writeTestAssets(folder);
  await openDemo(page, `${isolatedURL}/index.html`);
  await page.setInputFiles('#file', join(folder, 'data-uri.gltf'));
  // The island is heavy for a software adapter: a frame of it may take seconds.
  const patience = { timeout: 60_000 };
  await expect(page.locator('#caption')).toContainText('data-uri', patience);
  await page.setInputFiles('#file', join(folder, 'broken/garbage.glb'));
  await expect(page.locator('body')).toContainText('not-gltf', patience);
  await expect(page.locator('#restore')).toBeVisible();
});

test('blocking the main thread for two seconds stops the page, and nothing breaks', async ({
  page,
  isolatedURL,
}) => {
  test.setTimeout(120_000);
  await openDemo(page, `${isolatedURL}/demo/swarm.html?count=1000`);
  const frameOf = async () => (await statsOf(page)).frame;
  const before = await frameOf();
  await page.getByRole('button', { name: /block/i }).click();
  await expect.poll(frameOf, { timeout: 20_000 }).toBeGreaterThan(before + 2);
});

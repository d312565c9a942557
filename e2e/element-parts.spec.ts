/** The parts of `<fencepost-viewer>` besides its picture, shown on one page. */

import type { Page } from '@playwright/test';
import type { FencepostViewer } from 'fencepost/element';
import { expect, test } from './fixtures.js';

const MARKUP = `
  <fencepost-viewer id="parts" style="width: 96px; height: 96px" src="/island.glb" environment="none" controls
    camera-target="0m 0m 0m" camera-orbit="0deg 90deg auto">
    <button slot="hotspot-front" data-position="0 0.5 2m" data-normal="0 0 1">Front</button>
    <button slot="hotspot-inside">Inside</button>
    <button slot="hotspot-lost">Lost</button>
  </fencepost-viewer>`;

/** Loads the module for development, which warns. Returns the warnings. */
async function show(page: Page, origin: string): Promise<string[]> {
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning' && /fencepost-viewer/.test(message.text()))
      warnings.push(message.text());
  });
  await page.goto(`${origin}/e2e/pages/blank.html`);
  await page.evaluate(async (html) => {
    document.body.innerHTML = html;
    document.querySelector('fencepost-viewer')?.setAttribute('camera-orbot', '1');
    const { href } = new URL('/dist/development-element.js', location.href);
    await import(href);
    await (document.querySelector('fencepost-viewer') as FencepostViewer).whenReady();
  }, MARKUP);
  return warnings;
}

test('hotspots follow the model; keys, pictures and descriptions work', async ({ page, isolatedURL }) => {
  const warnings = await show(page, isolatedURL);
  const hotspot = (name: string) => page.locator(`[slot="hotspot-${name}"]`);
  const middleOf = async (name: string) => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await hotspot(name).boundingBox()) ?? {};
    return [x + width / 2, y + height / 2] as const;
  };
  const viewer = page.locator('#parts');
  const box = await viewer.boundingBox();

  await test.step('hotspots', async () => {
    await expect(hotspot('front')).toBeVisible();
    const [x] = await middleOf('front');
    expect(x).toBeCloseTo((box?.x ?? 0) + 48, 0);
    await hotspot('inside').evaluate((element) => element.setAttribute('data-position', '0 -0.3 0'));
    await expect(hotspot('inside')).toBeHidden({ timeout: 10_000 });
    await expect(hotspot('inside')).toHaveAttribute('data-hidden');
    await expect(hotspot('lost')).toBeVisible();
    await viewer.evaluate((element) => element.setAttribute('camera-orbit', '60deg 90deg auto'));
    await expect.poll(async () => (await middleOf('front'))[0]).toBeLessThan(x - 5);
    await viewer.evaluate((element) => element.setAttribute('camera-orbit', '180deg 90deg auto'));
    await expect(hotspot('front')).toBeHidden();
    const isFocused = await hotspot('front').evaluate((element) => {
      element.focus();
      return document.activeElement === element;
    });
    expect(isFocused).toBe(false);
  });
  expect(warnings.map((text) => /"([\w-]+)"/.exec(text)?.[1])).toEqual([
    'camera-orbot',
    'hotspot-inside',
    'hotspot-lost',
  ]);
});

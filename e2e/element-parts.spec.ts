/** The parts of `<fencepost-viewer>` besides its picture, shown on one page. */

import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { FencepostViewer } from 'fencepost/element';
import { makeLampModel } from '../scripts/lib/lamp-model.mjs';
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const MARKUP = `
  <fencepost-viewer id="parts" style="width: 96px; height: 96px" src="/island.glb" environment="none" controls
    alt="An island" background="#fff"
    camera-target="0m 0m 0m" camera-orbit="0deg 90deg auto">
    <button slot="hotspot-front" data-position="0 0.5 2m" data-normal="0 0 1">Front</button>
    <button slot="hotspot-inside">Inside</button>
    <button slot="hotspot-lost">Lost</button>
  </fencepost-viewer>`;

/** Returns the rules of accessibility that the page breaks, with the places. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document.body);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

/** Loads the module for development, which warns. Returns the warnings. */
async function show(page: Page, origin: string): Promise<string[]> {
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning' && /fencepost-viewer/.test(message.text()))
      warnings.push(message.text());
  });
  await page.goto(`${origin}/e2e/pages/blank.html`);
  await page.evaluate(async (html) => {
    document.documentElement.lang = 'en';
    document.body.innerHTML = `<main><h1>A lamp</h1>${html}</main>`;
    document.querySelector('fencepost-viewer')?.setAttribute('camera-orbot', '1');
    const { href } = new URL('/dist/development-element.js', location.href);
    await import(href);
    await (document.querySelector('fencepost-viewer') as FencepostViewer).whenReady();
  }, MARKUP);
  return warnings;
}

test.use({ hasFreshPage: true });

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
  const poseOf = () =>
    viewer.evaluate((element) => {
      const { azimuth, distance } = (element as FencepostViewer).controls!;
      return [azimuth, distance] as const;
    });

  await test.step('keys', async () => {
    const [azimuth, distance] = await poseOf();
    const canvas = page.getByRole('application', { name: 'An island' });
    await viewer.evaluate((element) => element.focus());
    await expect(canvas).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('-');
    await expect.poll(async () => (await poseOf())[0]).not.toBeCloseTo(azimuth, 2);
    await expect.poll(async () => (await poseOf())[1]).toBeGreaterThan(1.05 * distance);
    await expect(canvas).toHaveAccessibleDescription(/arrow keys turn/);
    await expect(page.getByRole('status')).toHaveText('An island: shown');
  });

  await test.step('less motion', async () => {
    await viewer.evaluate((element) => element.setAttribute('auto-rotate', '1'));
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const rate = () => viewer.evaluate((element) => (element as FencepostViewer).controls?.autoRotate);
    await expect.poll(rate).toBe(0);
    await viewer.evaluate((element) => element.setAttribute('camera-orbit', '10deg 90deg auto'));
    expect((await poseOf())[0]).toBeCloseTo(Math.PI / 18);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await expect.poll(rate).toBe(1);
    await viewer.evaluate((element) => element.removeAttribute('auto-rotate'));
  });

  await test.step('accessibility', async () => {
    expect(await violationsOn(page)).toEqual([]);
    await viewer.evaluate((element) => element.removeAttribute('controls'));
    await expect(page.getByRole('img', { name: 'An island' })).toBeAttached();
    expect(await violationsOn(page)).toEqual([]);
  });

  await test.step('pictures', async () => {
    const picture = await viewer.evaluate(async (element) => {
      const viewer = element as FencepostViewer;
      const blob = await viewer.toBlob({ type: 'image/jpeg', quality: 0.8, width: 40 });
      const { width, height } = await createImageBitmap(blob);
      const whole = await createImageBitmap(await viewer.toBlob());
      const context = new OffscreenCanvas(1, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;
      context.drawImage(whole, 0, 0);
      return {
        type: blob.type,
        size: [width, height, whole.width],
        corner: [...context.getImageData(0, 0, 1, 1).data],
      };
    });
    expect(picture).toEqual({ type: 'image/jpeg', size: [40, 40, 96], corner: [255, 255, 255, 255] });
  });

  await test.step('augmented reality', async () => {
    const state = () => viewer.evaluate((element) => (element as FencepostViewer).arState);
    const button = page.getByRole('button', { name: 'View in your space' });
    await viewer.evaluate((element) => element.setAttribute('ar', ''));
    expect(await state()).toBe('unavailable');
    await expect(button).toBeHidden();
    const address = await viewer.evaluate((element) => {
      Object.defineProperty(navigator, 'userAgent', { value: 'Android Chrome', configurable: true });
      element.removeAttribute('ar');
      element.setAttribute('ar', '');
      return new Promise<string>((resolve) => {
        HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
          resolve(this.href);
        };
        element.shadowRoot?.querySelector('button')?.click();
      });
    });
    expect(await state()).toBe('available');
    await expect(button).toBeVisible();
    expect(address).toMatch(/^intent:.*island\.glb.*title=An\+island/);
    expect(await violationsOn(page)).toEqual([]);
  });
  expect(warnings.map((text) => /"([\w-]+)"/.exec(text)?.[1])).toEqual([
    'camera-orbot',
    'hotspot-inside',
    'hotspot-lost',
  ]);
});

test('the programs of docs/guide/element.md print their output', async ({ page, context, isolatedURL }) => {
  const guide = readGuide('docs/guide/element.md');
  const model = Buffer.from(await makeLampModel());
  await context.route('**/lamp.glb', (route) =>
    route.fulfill({ contentType: 'model/gltf-binary', body: model }),
  );
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect([...guide.files.keys()]).toEqual(['german.js', 'lamp.js']);
  for (const file of guide.files.keys()) {
    expect(await runProgram(page, file)).toEqual(guide.printsOf(file));
  }
});

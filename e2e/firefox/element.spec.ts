/** `<fencepost-viewer>` in Firefox and in Chromium: its first picture is the same. */
import type { FencepostViewer } from 'fencepost/element';
import { MODES } from '../threading-modes.js';
import { expect, test } from './fixtures.js';

/**
 * Adds the element and the module that defines it. Returns the first picture's hash and its share of drawn
 * pixels. Runs in both browsers.
 */
const showModel = async (threading: string): Promise<{ hash: number; share: number }> => {
  document.body.innerHTML = `<fencepost-viewer style="width: 128px; height: 96px" threading="${threading}" src="/island.glb"></fencepost-viewer>`;
  const script = document.createElement('script');
  script.type = 'module';
  script.src = '/dist/element.js';
  document.body.append(script);
  await customElements.whenDefined('fencepost-viewer');
  const viewer = document.querySelector('fencepost-viewer') as FencepostViewer;
  await viewer.whenReady();
  const { data } = await viewer.view!.captureFrame();
  let hash = 0x811c9dc5;
  for (const byte of data) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const drawn = data.filter((value, index) => index % 4 === 3 && value > 128).length;
  await viewer.engine!.dispose();
  return { hash, share: drawn / (data.length / 4) };
};

for (const threading of MODES)
  test(`Firefox shows the element's model as Chromium does: ${threading}`, async ({
    page,
    firefoxPage,
    isolatedURL,
    plainURL,
  }) => {
    for (const origin of [isolatedURL, plainURL]) {
      const address = `${origin}/e2e/pages/blank.html`;
      await firefoxPage.goto(address);
      const seen = await firefoxPage.evaluate(showModel, threading);
      await page.goto(address);
      expect(seen).toEqual(await page.evaluate(showModel, threading));
      expect(seen.share).toBeGreaterThan(0.05);
    }
  });

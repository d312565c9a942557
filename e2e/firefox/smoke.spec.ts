import { openEnginePage } from '../open-engine-page.js';
import { MODES } from '../threading-modes.js';
import { expect, openInFirefox, test } from './fixtures.js';
import { killWorkers, type SmokeStep, smoke } from './smoke.js';

const picturesOf = (steps: Record<string, SmokeStep>): Set<string> =>
  new Set(Object.values(steps).flatMap(({ picture }) => picture ?? []));

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of MODES) {
    test(`Firefox draws and recovers as Chromium does: ${threading}, ${isolation}`, async ({
      page,
      firefoxPage,
      isolatedURL,
      plainURL,
    }) => {
      const origin = isolation === 'isolated' ? isolatedURL : plainURL;
      await openInFirefox(firefoxPage, origin);
      const inFirefox = await firefoxPage.evaluate(smoke, threading);
      await openEnginePage(page, origin);
      expect(inFirefox).toEqual(await page.evaluate(smoke, threading));
      expect(picturesOf(inFirefox).size).toBe(1);
      expect(inFirefox.end).toEqual({ value: [], events: [] });
      const loss = ['devicelost destroyed', 'devicerestored'];
      expect(inFirefox['device loss 1']?.events).toEqual(loss);
    });
  }

  for (const threading of ['render', 'render+rhi'] as const) {
    test(`Firefox replaces killed workers: ${threading}, ${isolation}`, async ({
      page,
      firefoxPage,
      isolatedURL,
      plainURL,
    }) => {
      const origin = isolation === 'isolated' ? isolatedURL : plainURL;
      await openInFirefox(firefoxPage, origin);
      const inFirefox = await firefoxPage.evaluate(killWorkers, threading);
      await openEnginePage(page, origin);
      expect(inFirefox).toEqual(await page.evaluate(killWorkers, threading));
      expect(picturesOf(inFirefox).size).toBe(1);
    });
  }
}

import { openEnginePage } from '../open-engine-page.js';
import { isolationsOf, MODES } from '../threading-modes.js';
import { expect, openInFirefox, test } from './fixtures.js';
import { killWorkers, type SmokeStep, smoke } from './smoke.js';

const picturesOf = (steps: Record<string, SmokeStep>): Set<string> =>
  new Set(Object.values(steps).flatMap(({ picture }) => picture ?? []));

type InPage = (threading: 'render' | 'render+rhi') => Promise<Record<string, SmokeStep>>;

/** Adds a test that runs the function in both browsers and expects the same result. */
function inBoth(
  title: string,
  threading: (typeof MODES)[number],
  run: InPage,
  check: (steps: Record<string, SmokeStep>) => void = () => {},
): void {
  for (const isolation of isolationsOf(threading))
    test(`${title}: ${threading}, ${isolation}`, async ({ page, firefoxPage, isolatedURL, plainURL }) => {
      const origin = isolation === 'isolated' ? isolatedURL : plainURL;
      await openInFirefox(firefoxPage, origin);
      const inFirefox = await firefoxPage.evaluate(run, threading as 'render');
      await openEnginePage(page, origin);
      expect(inFirefox).toEqual(await page.evaluate(run, threading as 'render'));
      expect(picturesOf(inFirefox).size).toBe(1);
      check(inFirefox);
    });
}

for (const threading of MODES)
  inBoth('Firefox draws and recovers as Chromium does', threading, smoke, (steps) => {
    expect(steps.end).toEqual({ value: [], events: [] });
    expect(steps['device loss 1']?.events).toEqual(['devicelost destroyed', 'devicerestored']);
  });

for (const threading of ['render', 'render+rhi'] as const)
  inBoth('Firefox replaces killed workers', threading, killWorkers);

/** Peculiarities of Firefox: preferences that hide WebGPU from a page, and late completions of GPU work. */
import puppeteer from 'puppeteer-core';
import { findFirefox } from '../../scripts/find-firefox.mjs';
import { firefoxLaunchOptions } from '../../src/testing/firefox-launch-options.js';
import { MODES } from '../threading-modes.js';
import { expect, LAUNCH_LIMIT, openInFirefox, test } from './fixtures.js';

const REFUSALS = [
  { preference: 'gfx.webgpu.ignore-blocklist', code: 'adapter-missing', advice: /hardware acceleration/ },
  { preference: 'dom.webgpu.enabled', code: 'webgpu-missing', advice: /Set dom\.webgpu\.enabled to true/ },
] as const;

for (const { preference, code, advice } of REFUSALS) {
  test(`with ${preference} off, every mode rejects with ${code} and with advice`, async ({
    firefoxPage,
    isolatedURL,
  }) => {
    // The other tests' browser has both preferences on.
    await firefoxPage.goto('about:blank');
    const options = firefoxLaunchOptions({
      executablePath: findFirefox(),
      preferences: { [preference]: false },
    });
    const browser = await puppeteer.launch({ ...options, timeout: LAUNCH_LIMIT });
    try {
      const page = await browser.newPage();
      await openInFirefox(page, isolatedURL);
      for (const threading of MODES) {
        const refusal = await page.evaluate((threading) => window.kit.startRefusal({ threading }), threading);
        expect([threading, refusal.name, refusal.code]).toEqual([threading, 'PlatformError', code]);
        expect(refusal.message).toMatch(advice);
      }
    } finally {
      await browser.close();
    }
  });
}

test("captures and picks do not wait for Firefox's next poll of completed GPU work", async ({
  firefoxPage,
  isolatedURL,
}) => {
  await openInFirefox(firefoxPage, isolatedURL);
  for (const threading of MODES) {
    const seen = await firefoxPage.evaluate(async (threading) => {
      const { fencepost, kit } = window;
      const engine = await fencepost.createEngine(kit.view, { threading, antialias: false });
      kit.addScene(engine);
      await engine.whenReady();
      await engine.step(0);
      const time = async (work: () => Promise<unknown>): Promise<number> => {
        const times: number[] = [];
        for (let run = 0; run < 9; run++) {
          const began = performance.now();
          await work();
          times.push(performance.now() - began);
        }
        return Math.min(...times);
      };
      const capture = await time(() => engine.captureFrame());
      const pick = await time(() => engine.pick(64, 64));
      const { gpuAnswerMs } = engine.stats();
      await engine.dispose();
      return { capture, pick, gpuAnswerMs };
    }, threading);
    expect(seen.gpuAnswerMs).toBeGreaterThanOrEqual(40);
    // Firefox polls for completed GPU work every 100 ms.
    expect(seen.capture).toBeLessThan(60);
    expect(seen.pick).toBeLessThan(60);
  }
});

test('demo/browsers.html finds every feature in Firefox', async ({ firefoxPage, isolatedURL }) => {
  await firefoxPage.goto(`${isolatedURL}/demo/browsers.html`);
  await firefoxPage.waitForSelector('html[data-report]');
  const report = await firefoxPage.evaluate(() => document.documentElement.dataset.report ?? '');
  expect(report).not.toContain('FAILED');
  expect(report.split('\n')).toHaveLength(13);
});

// Before any end-to-end test: does this browser render with WebGPU and read back what it rendered, frame after
// frame, with shared memory on one server and without on the other? If not, everything would fail, obscurely.
import { chromium } from '@playwright/test';
import { findChromium } from '../scripts/find-chromium.mjs';
import { chromiumLaunchOptions, probeWebGPU } from '../src/testing/index.js';

export default async function globalSetup(): Promise<void> {
  const browser = await chromium.launch(chromiumLaunchOptions({ executablePath: findChromium() }));
  try {
    const page = await browser.newPage();
    for (const [origin, isIsolated] of [
      [process.env.FENCEPOST_ISOLATED_URL, true],
      [process.env.FENCEPOST_PLAIN_URL, false],
    ] as const) {
      await page.goto(`${origin}/e2e/pages/blank.html`);
      const actual = await page.evaluate(() => crossOriginIsolated);
      if (actual !== isIsolated) {
        throw new Error(
          `The server at ${origin} should ${isIsolated ? '' : 'not '}isolate its pages, and does ${actual ? '' : 'not '}.`,
        );
      }
      const probe = await probeWebGPU(page);
      console.log(
        `WebGPU on ${probe.adapter}, ${isIsolated ? 'isolated' : 'not isolated'}: renders and reads back.`,
      );
    }
  } finally {
    await browser.close();
  }
}

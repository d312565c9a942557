// Runs before all end-to-end tests. It checks that this browser renders with WebGPU, frame after frame, and
// reads the result back. Memory must be shareable on one server and not on the other. Without these checks
// every test would fail with an obscure message.
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

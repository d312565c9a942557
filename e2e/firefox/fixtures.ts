/**
 * Fixtures for tests that run in Firefox and in Chromium side by side. A page function has to return the same
 * result in both browsers. Without Firefox the tests are skipped; `npm run test:firefox` installs it.
 */
import puppeteer, { type Browser, type Page as FirefoxPage } from 'puppeteer-core';
import { findChromium } from '../../scripts/find-chromium.mjs';
import { findFirefox, hasVulkan } from '../../scripts/find-firefox.mjs';
import { timeLimit } from '../../scripts/lib/time-limits.mjs';
import { firefoxLaunchOptions, softwareDriverOf } from '../../src/testing/firefox-launch-options.js';
import { test as base } from '../fixtures.js';

export { expect } from '../fixtures.js';

/** Limit for the start of Firefox in milliseconds. It creates a profile, which takes long on a busy machine. */
export const LAUNCH_LIMIT = timeLimit(90_000);

export const test = base.extend<{ readonly firefoxPage: FirefoxPage }, { readonly firefox: Browser | null }>({
  firefox: [
    async ({}, use) => {
      const executablePath = hasVulkan() ? findFirefox() : undefined;
      if (!executablePath) return use(null);
      const chromium = findChromium();
      const driver = chromium && softwareDriverOf(chromium);
      const browser = await puppeteer.launch({
        ...firefoxLaunchOptions({ executablePath, driver }),
        timeout: LAUNCH_LIMIT,
        protocolTimeout: timeLimit(120_000),
      });
      await use(browser);
      await browser.close();
    },
    { scope: 'worker', timeout: LAUNCH_LIMIT + timeLimit(30_000) },
  ],
  firefoxPage: async ({ firefox }, use, { skip }) => {
    if (!firefox) return skip(true, 'No Firefox here: "npm run test:firefox" installs one.');
    const page = await firefox.newPage();
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await use(page);
    await page.close();
    if (errors.length > 0) throw new Error(`The page in Firefox reported errors:\n  ${errors.join('\n  ')}`);
  },
});

/** Opens the page that loads the public API. */
export async function openInFirefox(page: FirefoxPage, origin: string): Promise<void> {
  await page.goto(`${origin}/e2e/pages/engine.html`);
  await page.waitForSelector('html[data-loaded]');
}

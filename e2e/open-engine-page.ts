import type { Page } from '@playwright/test';

/** Opens the page with the public API on it, isolated or not. */
export async function openEnginePage(page: Page, origin: string): Promise<void> {
  await openLoadedPage(page, `${origin}/e2e/pages/engine.html`);
}

/** Opens a page that marks itself as loaded when its script has run. */
export async function openLoadedPage(page: Page, address: string): Promise<void> {
  await page.goto(address);
  // Scripts have run by now. A selector would bring Playwright's script for them into every document.
  if (await page.evaluate(() => 'loaded' in document.documentElement.dataset)) return;
  await page.waitForSelector('html[data-loaded]', { state: 'attached' });
}

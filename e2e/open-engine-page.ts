import type { Page } from '@playwright/test';

/** Opens the page that loads the public API. The origin decides whether it is isolated. */
export async function openEnginePage(page: Page, origin: string): Promise<void> {
  await openLoadedPage(page, `${origin}/e2e/pages/engine.html`);
}

/** Opens a page that marks itself as loaded when its script has run. */
export async function openLoadedPage(page: Page, address: string): Promise<void> {
  await page.goto(address);
  // Scripts have usually run by now. Check first, because a wait for a selector injects Playwright's own
  // script into the document.
  if (await page.evaluate(() => 'loaded' in document.documentElement.dataset)) return;
  await page.waitForSelector('html[data-loaded]', { state: 'attached' });
}

import type { Page } from '@playwright/test';

/** Opens the page with the public API on it, isolated or not. */
export async function openEnginePage(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/e2e/pages/engine.html`);
  await page.waitForSelector('html[data-loaded]', { state: 'attached' });
}

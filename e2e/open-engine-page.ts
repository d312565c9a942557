import type { Page } from '@playwright/test';

/**
 * Opens the page with the public API on it, isolated or not.
 *
 * @param hasModules as single modules, one of which the test changes on its way; else bundled, which is much faster
 */
export async function openEnginePage(page: Page, origin: string, { hasModules = false } = {}): Promise<void> {
  await page.goto(`${origin}/e2e/pages/engine.html${hasModules ? '?modules' : ''}`);
  await page.waitForSelector('html[data-loaded]', { state: 'attached' });
}

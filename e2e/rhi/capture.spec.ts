// A capture made in one page shows the same pixels in another, and in Node on Dawn: resources' contents, command
// stream and attachments come with the file. The scene remembers its earlier frames, so nothing may be missing.
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.js';

async function openPage(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/e2e/pages/capture.html`);
  await page.waitForSelector('html[data-loaded]', { state: 'attached' });
}

const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

for (const when of ['from the start', 'later'] as const) {
  test(`capture prepared ${when}: equal pixels in another page`, async ({
    page,
    context,
    isolatedURL,
    plainURL,
  }) => {
    await openPage(page, isolatedURL);
    const captured = await page.evaluate((request) => window.makeCapture(request), { when });
    expect(captured.errors).toEqual([]);
    expect(captured.pictures).toHaveLength(3);
    expect(new Set(captured.pictures).size).toBe(3);
    await page.close();

    const other = await context.newPage();
    await openPage(other, plainURL);
    const replayed = await other.evaluate((file) => window.replayCapture(file), captured.file);
    expect(replayed.errors).toEqual([]);
    expect(replayed.frames).toBe(3);
    expect(replayed.pictures.map(({ frame }) => frame)).toEqual([3, 4, 5]);
    expect(replayed.draws).toEqual([3, 4, 5].map(() => [5, 0]));
    captured.pictures.forEach((picture, index) => {
      expect(bytes(replayed.pictures[index]?.data ?? '').equals(bytes(picture))).toBe(true);
    });
  });
}

/**
 * Tests demo/browsers.html, which checks a browser for the features that the engine needs. People open that
 * page in browsers that these tests can't run.
 */
import { expect, test } from './fixtures.js';

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`demo/browsers.html finds every feature in this browser, ${isolation}, and gives a report to paste`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await page.goto(`${isolation === 'isolated' ? isolatedURL : plainURL}/demo/browsers.html`);
    await expect(page.getByRole('status')).toHaveText(
      'This browser supports everything that Fencepost relies on.',
    );
    await expect(page.getByRole('row')).toHaveCount(12);
    await expect(page.getByRole('button', { name: 'Copy the report' })).toBeEnabled();
    const report = await page.evaluate(() => document.documentElement.dataset.report ?? '');
    expect(report.split('\n')).toHaveLength(13);
    const pictures = new Set(report.match(/picture [0-9a-f]{8}/g));
    expect(pictures.size).toBe(1);
  });
}

test('demo/browsers.html names a missing feature, and continues', async ({ page, isolatedURL }) => {
  await page.addInitScript(() => {
    GPU.prototype.requestAdapter = async () => null;
  });
  await page.goto(`${isolatedURL}/demo/browsers.html`);
  await expect(page.getByRole('status')).toHaveText(/\d checks failed\./);
  await expect(page.getByRole('row', { name: /^WebGPU on the page/ })).toContainText(
    'requestAdapter() returns null',
  );
  await expect(page.getByRole('row', { name: /threading: 'single'/ })).toContainText('returned no adapter');
  await expect(page.getByRole('row', { name: /^Animation frames in workers/ })).toContainText('available');
});

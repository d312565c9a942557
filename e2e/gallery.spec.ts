/** The gallery: every example shows a picture without an error, beside its code, which is short. */

import type { Engine } from 'fencepost';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { GALLERY_EXAMPLES } from './gallery-examples.js';

test('every example of the gallery shows a picture beside its code', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  test.setTimeout(timeLimit(180_000));
  // A software adapter that has other work keeps the worker waiting for longer than that, which the engine tells.
  expectErrors(/has not answered for 1 s/);
  // A software adapter takes seconds for a full picture.
  await page.addInitScript(() => Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.3 }));
  for (const name of GALLERY_EXAMPLES) {
    await page.goto(`${isolatedURL}/demo/gallery.html#${name}`);
    await expect(page.locator('html')).toHaveAttribute('data-example', name, { timeout: timeLimit(60_000) });
    const { colors, drawn, problem, lines } = await page.evaluate(async () => {
      const { engine } = window as unknown as { engine: Engine };
      const { data } = await engine.captureFrame();
      const pixels = new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
      const counts = new Map<number, number>();
      for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
      // Beside the colour that most pixels have.
      const drawn = pixels.length - Math.max(...counts.values());
      const code = document.querySelector('#code')?.textContent ?? '';
      return {
        colors: counts.size,
        drawn,
        problem: document.querySelector('.picture')?.textContent,
        lines: code.split('\n').length,
      };
    });
    expect(problem, name).toBe(name === 'labels' ? problem : '');
    expect(colors, name).toBeGreaterThan(12);
    expect(drawn, name).toBeGreaterThan(80);
    expect(lines, name).toBeLessThan(60);
  }
  // One follows the other without a new page.
  await page.locator('#examples').getByRole('link', { name: 'Motion' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-example', 'motion', {
    timeout: timeLimit(60_000),
  });
});

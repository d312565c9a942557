/** The gallery. Every example shows a picture without an error, beside its short code. */

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
  // A busy software adapter keeps the worker waiting for more than 1 s, and the engine reports that.
  expectErrors(/has not answered for 1 s/);
  // A software adapter needs seconds for a picture of full size.
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
      // Pixels that do not have the most frequent colour count as drawn.
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
  // The next example starts without loading the page again.
  await page.locator('#examples').getByRole('link', { name: 'Motion' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-example', 'motion', {
    timeout: timeLimit(60_000),
  });
});

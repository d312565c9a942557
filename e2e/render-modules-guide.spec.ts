/** Keeps docs/guide/render-modules.md correct: its two code blocks run here as printed. */

import type { Engine } from 'fencepost';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { readGuide, showProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/render-modules.md');

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R2, R8: the guide’s module pulses, ${isolation}`, async ({
    page,
    context,
    isolatedURL,
    plainURL,
  }) => {
    const origin = isolation === 'isolated' ? isolatedURL : plainURL;
    await showProgram(guide, { page, context, origin, file: 'main.js' });
    // The module pulses, so two pictures differ sooner or later.
    const reds = new Set<number>();
    await expect
      .poll(
        async () => {
          reds.add(
            await page.evaluate(async () => {
              const { engine } = window as unknown as { engine: Engine };
              const { data, width, height } = await engine.captureFrame();
              return data[((height >> 1) * width + (width >> 1)) * 4] as number;
            }),
          );
          return reds.size;
        },
        { timeout: timeLimit(20_000) },
      )
      .toBeGreaterThan(1);
    await page.evaluate(() => (window as unknown as { engine: Engine }).engine.dispose());
  });
}

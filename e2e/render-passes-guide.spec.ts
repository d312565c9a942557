/** Keeps docs/guide/render-passes.md correct: its code blocks run here as printed. */
import { readFileSync } from 'node:fs';
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { readGuide, showProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/render-passes.md');

test('X1: the demo’s outline equals the guide’s', () => {
  expect(readFileSync('public/outline.js', 'utf8')).toBe(guide.files.get('outline.js'));
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`X1, X2: the guide’s outline and particles show, ${isolation}`, async ({
    page,
    context,
    isolatedURL,
    plainURL,
  }) => {
    const origin = isolation === 'isolated' ? isolatedURL : plainURL;
    const printed = await showProgram(guide, {
      page,
      context,
      origin,
      file: 'main.js',
      width: 128,
      height: 128,
    });
    const counts = await page.evaluate(async () => {
      const { engine } = window as unknown as { engine: Engine };
      const { data } = await engine.captureFrame();
      const counted = { black: 0, green: 0, red: 0 };
      for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue] = data.subarray(at, at + 3) as unknown as [number, number, number];
        if (red < 30 && green < 30 && blue < 30) counted.black++;
        if (green > 200 && red < 160 && blue < 190) counted.green++;
        if (red > 100 && green < 60) counted.red++;
      }
      engine.dispose();
      return counted;
    });
    expect(counts.black).toBeGreaterThan(200);
    expect(counts.green).toBeGreaterThan(100);
    expect(counts.red).toBeGreaterThan(1000);
    expect(printed).toEqual(guide.printsOf('main.js'));
  });
}

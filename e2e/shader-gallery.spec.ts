// R14: the programs of docs/guide/shader-gallery.md, as printed.
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { readGuide, showProgram } from './guide-programs.js';

const GALLERY = readGuide('docs/guide/shader-gallery.md');
/** Ranges of colours by program. Each range must cover more than 1 % of the program's picture. */
const LOOKS: Readonly<Record<string, readonly ((red: number, green: number, blue: number) => boolean)[]>> = {
  'gradient.js': [(r, g, b) => r > 200 && g > 150 && b < 150, (r, g, b) => b > r && r > g + 20],
  'dissolve.js': [(r, g, b) => g > r + 30 && g > b + 30, (r, g, b) => r > 200 && g > 80 && b < g - 30],
  'triplanar.js': [(r, g) => r > g + 50, (r, _g, b) => r > 130 && r - b < 60 && r > b + 3],
  'wind.js': [(r, g, b) => g > r + 15 && g > b + 40 && g > 110, (_r, g, b) => g > b + 20 && g < 90],
  'toon.js': [(r, g) => r > g + 90, (r, _g, b) => b > r + 60, (r, g, b) => r + g + b < 100],
  'water.js': [(r, g, b) => b > r + 40 && g < 150, (r, g, b) => Math.min(r, g, b) > 170],
  'force-field.js': [(r, g, b) => b > r + 60 && b > g + 20, (r, g) => r > 120 && r > g + 30],
  'terrain.js': [
    (r, g, b) => g > r + 15 && g > b + 25,
    (r, g, b) => Math.min(r, g, b) > 215,
    (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) < 30 && r < 150,
    (r, _g, b) => r > b + 35 && r > 150,
  ],
};

for (const [file, looks] of Object.entries(LOOKS)) {
  test(`R14: the guide’s ${file} shows its material, as printed`, async ({ page, context, isolatedURL }) => {
    await showProgram(GALLERY, { page, context, origin: isolatedURL, file, width: 240, height: 135 });
    const { data, leaks } = await page.evaluate(async () => {
      const { engine } = window as unknown as { engine: Engine };
      engine.stop();
      await engine.step(0.5);
      const { data } = await engine.captureFrame();
      const { leaks } = await engine.dispose();
      return { data: [...data], leaks };
    });
    const pixels = data.length / 4;
    const shares = looks.map((look) => {
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        count += Number(look(data[at]!, data[at + 1]!, data[at + 2]!));
      return count / pixels;
    });
    for (const share of shares) expect(share, shares.join()).toBeGreaterThan(0.01);
    expect(leaks).toEqual([]);
  });
}

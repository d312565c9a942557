/**
 * Keeps the programs that draw the guides' pictures correct. They run here, stepped instead of started.
 */
import { readFileSync } from 'node:fs';
import { guidePictures, PICTURE_SIZE } from '../scripts/guide-pictures.mjs';
import { openGuidePage, stepFrames } from '../scripts/lib/guide-page.mjs';
import { expect, test } from './fixtures.js';

/**
 * Largest mean difference per channel, 0 to 255, between pictures that count as equal. Edges differ a little
 * between machines.
 */
const MOST_DIFFERENCE = 2;

test.use({ viewport: PICTURE_SIZE });

for (const picture of guidePictures) {
  const { guide, name = guide, program, frames = 4 } = picture;
  test(`docs/guide/${guide}.md: ${program} draws its picture`, async ({
    page,
    isolatedURL,
    expectErrors,
  }) => {
    test.slow();
    // The programs run as printed, so their watchdog may report a worker that a busy machine starves.
    expectErrors(/has not answered for 1 s/);
    await openGuidePage(page, isolatedURL, picture);
    await page.evaluate(stepFrames, frames);
    const drawn = (await page.screenshot()).toString('base64');
    const stored = readFileSync(`docs/guide/pictures/${name}.png`).toString('base64');
    const difference = await page.evaluate(
      async (files) => {
        const [first, second] = await Promise.all(
          files.map(async (base64) => {
            const image = new Image();
            image.src = `data:image/png;base64,${base64}`;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext('2d');
            context?.drawImage(image, 0, 0);
            return context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
          }),
        );
        if (!first || !second || first.length !== second.length) return 255;
        return first.reduce((sum, value, at) => sum + Math.abs(value - (second[at] ?? 0)), 0) / first.length;
      },
      [drawn, stored],
    );
    expect(difference).toBeLessThan(MOST_DIFFERENCE);
  });
}

test('docs/guide/gltf.md: its first program, model.js, shows the model', async ({ page, isolatedURL }) => {
  await openGuidePage(page, isolatedURL, { guide: 'gltf', program: 'model.js' });
  await page.evaluate(stepFrames, 2);
  // The model has a base, an arm, a shade and a bulb.
  expect(await page.evaluate('engine.stats().visible')).toBe(4);
});

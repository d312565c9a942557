/**
 * Texts in both browsers. Letters are the browser's own: it finds the font, and its 2D canvas rasterises the letters of the engine's
 * atlas. With `sans-serif` the two find different fonts on this machine, so the tests name one.
 */
import { openEnginePage } from '../open-engine-page.js';
import { expect, openInFirefox, test } from './fixtures.js';

interface Difference {
  /** Per channel, of 255. */
  readonly mean: number;
  readonly most: number;
}

const CASES = [
  { size: 16, ink: '#000', paper: '#fff' },
  { size: 16, ink: '#fff', paper: '#000' },
  { size: 24, ink: '#06c', paper: '#ffe' },
  { size: 32, ink: '#000', paper: '#fff' },
] as const;

/** A text of the page's canvas and one of the engine, as bytes. Runs in both browsers. */
const drawTexts = async ({ size, ink, paper }: (typeof CASES)[number]): Promise<number[][]> => {
  const pictures = await window.kit.bothTexts('Hamburgefonstiv 123', size, ink, paper, '"Liberation Sans"');
  return pictures.map(({ data }) => [...data]);
};

function differenceOf(one: readonly number[] = [], other: readonly number[] = []): Difference {
  const differences = one.map((value, index) => Math.abs(value - (other[index] as number)));
  const colours = differences.filter((_, index) => index % 4 < 3);
  const sum = colours.reduce((total, value) => total + value, 0);
  return { mean: sum / colours.length, most: colours.reduce((most, value) => Math.max(most, value), 0) };
}

test('texts of one font differ by the rasteriser of the 2D canvas alone', async ({
  page,
  firefoxPage,
  isolatedURL,
}) => {
  await openInFirefox(firefoxPage, isolatedURL);
  await openEnginePage(page, isolatedURL);
  for (const text of CASES) {
    const [canvas, drawn] = await firefoxPage.evaluate(drawTexts, text);
    const [chromiumCanvas, chromiumDrawn] = await page.evaluate(drawTexts, text);
    const ofCanvas = differenceOf(canvas, chromiumCanvas);
    const ofEngine = differenceOf(drawn, chromiumDrawn);
    // Measured: canvases 0.41 to 0.68 and 85 at most, texts of the engine 0.26 to 0.66 and 29 at most.
    expect(ofEngine.mean).toBeGreaterThan(0);
    expect(ofEngine.mean).toBeLessThan(1);
    expect(ofEngine.most).toBeLessThan(48);
    // The engine adds nothing to what the canvases differ by.
    expect(ofEngine.mean).toBeLessThanOrEqual(ofCanvas.mean * 1.25);
    expect(ofEngine.most).toBeLessThanOrEqual(ofCanvas.most);
  }
});

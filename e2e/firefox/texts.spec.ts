/**
 * Texts in both browsers. The browser finds the font, and its 2D canvas rasterises the letters for the engine's
 * atlas. Each browser may map `sans-serif` to another font, so the tests name one font.
 */
import { openEnginePage } from '../open-engine-page.js';
import { expect, openInFirefox, test } from './fixtures.js';

interface Difference {
  /** Mean difference per channel, of 255. */
  readonly mean: number;
  readonly most: number;
}

const CASES = [
  { size: 16, ink: '#000', paper: '#fff' },
  { size: 16, ink: '#fff', paper: '#000' },
  { size: 24, ink: '#06c', paper: '#ffe' },
  { size: 32, ink: '#000', paper: '#fff' },
] as const;

/**
 * Draws a text with the page's 2D canvas, and the same text with the engine. Returns the bytes of both
 * pictures. Runs in both browsers.
 */
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

test('the same text in one font differs only by the rasteriser of the 2D canvas', async ({
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
    // Limits with some margin over the measured differences of both browsers' rasterisers.
    expect(ofEngine.mean).toBeGreaterThan(0);
    expect(ofEngine.mean).toBeLessThan(1);
    expect(ofEngine.most).toBeLessThan(48);
    // The engine adds nothing to the difference between the canvases.
    expect(ofEngine.mean).toBeLessThanOrEqual(ofCanvas.mean * 1.25);
    expect(ofEngine.most).toBeLessThanOrEqual(ofCanvas.most);
  }
});

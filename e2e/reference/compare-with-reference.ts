/**
 * Compares a picture with its stored reference. On the adapter that drew the references (SwiftShader), unchanged
 * pictures are equal byte for byte. Other adapters round the last bit of a colour differently, and decide
 * differently about pixels whose centre lies on an edge. So a picture may differ
 *
 *   by a quarter of a level (of 255) on average over all its pixels, and
 *   by more than 4 levels in one of 200 pixels, which is less than a sixth of the pixels on edges in these scenes.
 *
 * A picture that differs more fails. It is then written as one file for people to look at: kept | drawn |
 * difference × 8.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import { compareImages, type Image } from '../../src/testing/image.js';
import { readPng, writePng } from '../../src/testing/png.js';

/** The largest mean difference, in levels of 255. */
const MOST_ON_AVERAGE = 0.25;
/** The difference, in levels of 255, above which a pixel counts as different. */
const OTHER_PIXEL = 4;
/** The largest share of different pixels. */
const MOST_OTHER_PIXELS = 0.005;

export const referenceFile = (name: string): string => `e2e/reference/pictures/${name}.png`;

/** Returns a sentence about a picture's difference, or `null` if there is none. */
export function compareWithReference(name: string, drawn: Image): string | null {
  const file = referenceFile(name);
  const howTo = `npm run reference -- ${name}`;
  if (!existsSync(file)) return `${name}: no reference picture exists; ${howTo} creates one.`;
  const kept = readPng(file);
  if (kept.width !== drawn.width || kept.height !== drawn.height) {
    return `${name}: ${drawn.width} × ${drawn.height} pixels, and the kept picture has ${kept.width} × ${kept.height}.`;
  }
  const { meanAbsoluteDifference: mean, differentPixels: others } = compareImages(kept, drawn, {
    threshold: OTHER_PIXEL,
  });
  if (mean <= MOST_ON_AVERAGE && others <= MOST_OTHER_PIXELS * kept.width * kept.height) return null;
  const sheet = `test-results/reference/${name}.png`;
  writePng(sheet, sideBySide(kept, drawn));
  return `${name}: ${mean.toFixed(2)} of 255 on average and ${others} pixels differ; see ${sheet}. If the change is intended: ${howTo}`;
}

/** Stores a picture as the new reference. */
export function keepAsReference(name: string, { width, height, data }: Image): void {
  const png = new PNG({ width, height });
  png.data.set(data);
  writeFileSync(referenceFile(name), PNG.sync.write(png, { colorType: 2 }));
}

function sideBySide(kept: Image, drawn: Image): Image {
  const { width, height } = kept;
  const data = new Uint8ClampedArray(width * 3 * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const to = (Math.floor(pixel / width) * width * 3 + (pixel % width)) * 4;
    for (let channel = 0; channel < 3; channel++) {
      const [before = 0, now = 0] = [kept.data[pixel * 4 + channel], drawn.data[pixel * 4 + channel]];
      data[to + channel] = before;
      data[to + width * 4 + channel] = now;
      data[to + width * 8 + channel] = Math.abs(now - before) * 8;
    }
  }
  return { width: width * 3, height, data };
}

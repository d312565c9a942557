import { describe, expect, it } from 'vitest';
import { compareImages, type Image, pixelAt } from './image.js';

const image = (width: number, height: number, ...data: number[]): Image => ({
  width,
  height,
  data: new Uint8ClampedArray(data),
});

describe('comparing images', () => {
  const black = image(2, 1, 0, 0, 0, 255, 0, 0, 0, 255);

  it('finds no difference between equal images', () => {
    expect(compareImages(black, black)).toEqual({
      meanAbsoluteDifference: 0,
      maxDifference: 0,
      differentPixels: 0,
    });
  });

  it('returns the mean over red, green and blue of all pixels', () => {
    const other = image(2, 1, 6, 0, 0, 255, 0, 12, 0, 255);
    expect(compareImages(black, other)).toEqual({
      meanAbsoluteDifference: 3,
      maxDifference: 12,
      differentPixels: 2,
    });
  });

  it('finds a difference in alpha alone', () => {
    const other = image(2, 1, 0, 0, 0, 255, 0, 0, 0, 254);
    expect(compareImages(black, other)).toMatchObject({ meanAbsoluteDifference: 0, maxDifference: 1 });
  });

  it('counts the pixels that differ by more than a threshold', () => {
    const image = (...reds: number[]): Image => ({
      width: reds.length,
      height: 1,
      data: Uint8Array.from(reds.flatMap((red) => [red, 0, 0, 255])),
    });
    const [a, b] = [image(10, 20, 30), image(10, 24, 35)];
    expect([0, 3, 4, 5].map((threshold) => compareImages(a, b, { threshold }).differentPixels)).toEqual([
      2, 2, 1, 0,
    ]);
  });

  it('rejects images of different sizes, and an image whose data has the wrong length', () => {
    expect(() => compareImages(black, image(1, 2, 0, 0, 0, 255, 0, 0, 0, 255))).toThrow('2×1 and 1×2');
    expect(() => compareImages(black, image(2, 1, 0, 0, 0, 255))).toThrow('needs 8 bytes, and has 4');
  });

  it('reads a pixel by its coordinates from the top left', () => {
    const square = image(2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 5, 6, 7);
    expect(pixelAt(square, 1, 1)).toEqual([4, 5, 6, 7]);
    expect(pixelAt(square, 0, 1)).toEqual([3, 3, 3, 3]);
    expect(() => pixelAt(square, 2, 0)).toThrow('no pixel (2, 0)');
  });
});

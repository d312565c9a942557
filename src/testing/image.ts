// Compares images in tests. Pixels are RGBA with 8 bits per channel, and row 0 is at the top. The results of
// `engine.captureFrame()` and `ImageData` have the same format.

export interface Image {
  /** Width in pixels. */
  readonly width: number;
  /** Height in pixels. */
  readonly height: number;
  /** width × height × 4 bytes, RGBA. */
  readonly data: Uint8Array | Uint8ClampedArray;
}

export interface ImageDifference {
  /** Mean absolute difference of red, green and blue over all pixels, 0 to 255. */
  readonly meanAbsoluteDifference: number;
  /** The largest difference in any channel, alpha included, 0 to 255. */
  readonly maxDifference: number;
  /** Number of pixels in which any channel differs by more than `threshold`. */
  readonly differentPixels: number;
}

/**
 * Compares images of the same size. All results are 0 for equal images.
 *
 * @param options.threshold largest difference of a channel, 0 to 255, that `differentPixels` ignores. Default 0.
 * @throws Error if the sizes differ, or if the length of an image's data does not fit its size
 */
export function compareImages(
  a: Image,
  b: Image,
  { threshold = 0 }: { readonly threshold?: number } = {},
): ImageDifference {
  requireWhole(a);
  requireWhole(b);
  if (a.width !== b.width || a.height !== b.height) {
    throw new Error(`The images differ in size: ${a.width}×${a.height} and ${b.width}×${b.height}.`);
  }
  let sum = 0;
  let maxDifference = 0;
  let differentPixels = 0;
  for (let offset = 0; offset < a.data.length; offset += 4) {
    let largest = 0;
    for (let channel = 0; channel < 4; channel++) {
      const difference = Math.abs((a.data[offset + channel] ?? 0) - (b.data[offset + channel] ?? 0));
      if (channel < 3) sum += difference;
      if (difference > largest) largest = difference;
    }
    if (largest > threshold) differentPixels++;
    if (largest > maxDifference) maxDifference = largest;
  }
  const samples = a.width * a.height * 3;
  return { meanAbsoluteDifference: samples === 0 ? 0 : sum / samples, maxDifference, differentPixels };
}

/** Returns the four bytes of the pixel at (x, y), counted from the top left. @throws Error outside the image */
export function pixelAt(image: Image, x: number, y: number): [number, number, number, number] {
  if (!(x >= 0 && x < image.width && y >= 0 && y < image.height)) {
    throw new Error(`There is no pixel (${x}, ${y}) in an image of ${image.width}×${image.height}.`);
  }
  const [red = 0, green = 0, blue = 0, alpha = 0] = image.data.subarray((y * image.width + x) * 4);
  return [red, green, blue, alpha];
}

/** Throws if the data does not have the length that the size requires. */
function requireWhole(image: Image): void {
  const expected = image.width * image.height * 4;
  if (image.data.length !== expected) {
    throw new Error(
      `An image of ${image.width}×${image.height} needs ${expected} bytes, and has ${image.data.length}.`,
    );
  }
}

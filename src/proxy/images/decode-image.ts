/** How pictures are decoded, wherever: in the asset worker, and once more on the main thread when a device was lost. */

/** A decoded picture: an ImageBitmap, or texels, by default RGBA8 rows from the top. Sizes are in pixels. */
export interface DecodedImage {
  readonly image: ImageBitmap | ArrayBuffer;
  readonly width: number;
  readonly height: number;
  /** How the texels lie (`texels.ts`). */
  readonly texels?: number;
}

/** Alpha stays straight and colours stay as stored: glTF, or the material, says what they mean. */
export const AS_STORED: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };

/** The largest texture that every WebGPU device takes. */
const MAXIMUM_SIZE = 8192;

/**
 * Decodes the file of a picture (PNG, JPEG, WebP), as stored; rejects when the browser can't. A picture larger than any
 * WebGPU device takes for sure is scaled down.
 */
export async function decodeImage(file: Blob): Promise<DecodedImage> {
  let image = await createImageBitmap(file, AS_STORED);
  const excess = Math.max(image.width, image.height) / MAXIMUM_SIZE;
  if (excess > 1) {
    const resizeWidth = Math.max(1, Math.floor(image.width / excess));
    const resizeHeight = Math.max(1, Math.floor(image.height / excess));
    image.close();
    image = await createImageBitmap(file, { ...AS_STORED, resizeWidth, resizeHeight, resizeQuality: 'high' });
  }
  return { image, width: image.width, height: image.height };
}

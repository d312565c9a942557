/** Decodes images, in the asset worker and, after a lost device, on the main thread. */

/** A decoded image: an ImageBitmap, or texels, by default RGBA8 rows from the top. Sizes are in pixels. */
export interface DecodedImage {
  readonly image: ImageBitmap | ArrayBuffer;
  readonly width: number;
  readonly height: number;
  /** Layout of the texels (`texels.ts`). */
  readonly texels?: number;
}

/** Alpha stays straight and colours stay as stored. glTF or the material defines their meaning. */
export const AS_STORED: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };

/** The texture size that every WebGPU device supports. */
const MAXIMUM_SIZE = 8192;

/**
 * Decodes an image file (PNG, JPEG, WebP) without converting colours. An image larger than every WebGPU device supports
 * is scaled down. Rejects when the browser can't decode the file.
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

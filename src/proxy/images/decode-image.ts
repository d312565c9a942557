/** Decodes images, in the asset worker and, after a lost device, on the main thread. */

/** A decoded image: an ImageBitmap, or texels. Without `texels` the texels are RGBA8, in rows from the top. */
export interface DecodedImage {
  readonly image: ImageBitmap | ArrayBuffer;
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Layout of the texels (`texels.ts`). */
  readonly texels?: number;
}

/** Keeps colours as stored and not premultiplied by alpha, because glTF or the material defines their meaning. */
export const AS_STORED: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };

/** The largest width and height of textures that every WebGPU device supports, in texels. */
const MAXIMUM_SIZE = 8192;

/**
 * Decodes an image file (PNG, JPEG, WebP) without converting colours. An image wider or higher than `MAXIMUM_SIZE` is
 * scaled down. Rejects when the browser can't decode the file.
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

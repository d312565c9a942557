/** A decoded picture: an ImageBitmap, or RGBA8 rows from the top. Sizes are in pixels. */
export interface DecodedImage {
  readonly image: ImageBitmap | ArrayBuffer;
  readonly width: number;
  readonly height: number;
}

/** Decodes a PNG, JPEG or WebP file; rejects when it cannot. */
export type ImageDecoder = (bytes: Uint8Array<ArrayBuffer>, mimeType: string) => Promise<DecodedImage>;

/** The largest texture that every WebGPU device takes. */
const MAXIMUM_SIZE = 8192;

/**
 * The browser's decoder. Alpha stays straight and colours stay as stored, because glTF says what they mean;
 * a picture larger than any WebGPU device takes for sure is scaled down.
 */
export const decodeWithBrowser: ImageDecoder = async (bytes, mimeType) => {
  const options: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };
  const blob = new Blob([bytes], { type: mimeType });
  let image = await createImageBitmap(blob, options);
  const excess = Math.max(image.width, image.height) / MAXIMUM_SIZE;
  if (excess > 1) {
    const resizeWidth = Math.max(1, Math.floor(image.width / excess));
    const resizeHeight = Math.max(1, Math.floor(image.height / excess));
    image.close();
    image = await createImageBitmap(blob, { ...options, resizeWidth, resizeHeight, resizeQuality: 'high' });
  }
  return { image, width: image.width, height: image.height };
};

/** The type a file's first bytes tell, which counts more than what its name or its owner says. */
export function imageMimeType(bytes: Uint8Array, declared: string): string {
  const starts = (offset: number, ...values: number[]) =>
    values.every((value, i) => bytes[offset + i] === value);
  if (starts(0, 0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50)) return 'image/webp';
  return declared;
}

import { OptionError, type View } from '../index.js';

/** Options of `toBlob`. */
export interface ViewerPictureOptions {
  /** `image/png` (default), `image/jpeg` or `image/webp`. */
  readonly type?: string;
  /** Quality of JPEG and WebP, 0 to 1. Default: the browser's. */
  readonly quality?: number;
  /** Width in pixels, 1 to 16384. Default: the canvas's, or the one that keeps the proportions. */
  readonly width?: number;
  /** Height in pixels, 1 to 16384. Default: the canvas's, or the one that keeps the proportions. */
  readonly height?: number;
}

const NAMES = ['type', 'quality', 'width', 'height'];
const TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range` */
export function checkPictureOptions(options: ViewerPictureOptions): void {
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name));
  const { type = 'image/png', quality = 1 } = options;
  if (unknown !== undefined) {
    throw new OptionError(
      'option-unknown',
      `toBlob has no option "${unknown}". It takes ${NAMES.join(', ')}.`,
    );
  }
  if (!TYPES.includes(type)) {
    throw new OptionError(
      'option-invalid',
      `type of toBlob is ${JSON.stringify(type)}; it has to be one of ${TYPES.join(', ')}.`,
    );
  }
  if (!(quality >= 0 && quality <= 1)) {
    throw new OptionError(
      'option-out-of-range',
      `quality of toBlob is ${String(quality)}; it has to be 0 to 1.`,
    );
  }
}

/**
 * Captures a view as a file.
 * @param aspect width by height of the view's canvas
 * @throws the errors of `view.captureFrame`; OptionError `option-invalid` if the browser cannot encode the type
 */
export async function captureBlob(
  view: View,
  aspect: number,
  { type = 'image/png', quality, width, height }: ViewerPictureOptions,
): Promise<Blob> {
  const size = sizeOf(aspect, width, height);
  const picture = await (size ? view.captureFrame(size) : view.captureFrame());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const image = new ImageData(new Uint8ClampedArray(picture.data), picture.width, picture.height);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  const blob = await canvas.convertToBlob({ type, ...(quality !== undefined && { quality }) });
  if (blob.type === type) return blob;
  throw new OptionError('option-invalid', `This browser cannot encode ${type}. Use image/png for toBlob.`);
}

/** Returns the size of the picture, in which a missing side keeps the proportions; `null` for the canvas's size. */
export function sizeOf(
  aspect: number,
  width: number | undefined,
  height: number | undefined,
): { readonly width: number; readonly height: number } | null {
  if (width === undefined && height === undefined) return null;
  return {
    width: width ?? Math.max(1, Math.round((height as number) * aspect)),
    height: height ?? Math.max(1, Math.round((width as number) / aspect)),
  };
}

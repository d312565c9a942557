import { AssetError, messageOf, OptionError } from '../../core/errors.js';
import { shownValue } from '../../core/options/shown-value.js';
import { ColorTable } from '../../proxy/color-table.js';
import { parseCube } from './cube-file.js';

/**
 * Loads a table of colours for `effects.colorGrading`: a `.cube` file, or a strip of squares as an image. Each square
 * of a strip has one value of blue, which increases to the right; red increases to the right, and green downwards.
 *
 * @param source address of the file, or the file itself
 * @throws AssetError `fetch-failed`, `cube-invalid`, `cube-truncated`, `cube-too-large`, `table-image-invalid`;
 *   OptionError
 * @example engine.effects.colorGrading = { table: await loadColorTable('film.cube') };
 */
export async function loadColorTable(source: string | URL | Blob): Promise<ColorTable> {
  const isFile = source instanceof Blob;
  if (!isFile && typeof source !== 'string' && !(source instanceof URL)) {
    throw new OptionError(
      'option-invalid',
      `loadColorTable was given ${shownValue(source)}. Give it the address of a file, or a Blob.`,
    );
  }
  const name = isFile ? ((source as Blob & { readonly name?: string }).name ?? 'table') : String(source);
  const file = isFile ? source : await fetchFile(String(source));
  if (file.type.startsWith('image/')) return readStrip(file, name);
  return parseCube(await file.text(), name);
}

async function fetchFile(address: string): Promise<Blob> {
  const failed = (reason: string, cause?: unknown): AssetError =>
    new AssetError('fetch-failed', `"${address}" could not be fetched: ${reason}`, { cause });
  let response: Response;
  try {
    response = await fetch(address);
  } catch (cause) {
    throw failed(messageOf(cause), cause);
  }
  if (!response.ok) throw failed(`the server answered ${response.status}.`);
  return response.blob();
}

const LARGEST_STRIP = 64;

async function readStrip(file: Blob, name: string): Promise<ColorTable> {
  const invalid = (fault: string, cause?: unknown): AssetError =>
    new AssetError('table-image-invalid', `"${name}": ${fault}`, { cause });
  let image: ImageBitmap;
  try {
    image = await createImageBitmap(file, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  } catch (cause) {
    throw invalid("The image can't be decoded.", cause);
  }
  const { width, height: size } = image;
  try {
    if (size < 2 || size > LARGEST_STRIP || width !== size * size) {
      throw invalid(
        `It has ${width} × ${size} pixels. A strip of n squares has n² × n pixels, with n from 2 to ${LARGEST_STRIP}.`,
      );
    }
    const context = new OffscreenCanvas(width, size).getContext('2d', { willReadFrequently: true });
    if (!context) throw invalid('The browser has no 2D context to read it.');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, size);
    const texels = Float32Array.from(data, (value) => value / 255);
    return new ColorTable(name, { size, isCube: true, least: [0, 0, 0], most: [1, 1, 1], texels });
  } finally {
    image.close();
  }
}

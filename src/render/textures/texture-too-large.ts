import { AssetError } from '../../core/errors.js';

/**
 * Returns the error for an image or a render texture that is too large.
 * @param largestSize maximum width and height on the device, in texels
 * @param remedy the sentence with the advice to the caller
 */
export function textureTooLarge(
  what: string,
  width: number,
  height: number,
  largestSize: number,
  remedy: string,
): AssetError {
  return new AssetError(
    'texture-too-large',
    `${what} is ${width} × ${height}; this device takes at most ${largestSize} in each direction. ${remedy}`,
  );
}

/** Returns the error for a render texture that is too large to draw into. */
export function renderTextureTooLarge(
  name: string,
  width: number,
  height: number,
  largestSize: number,
): AssetError {
  const remedy = 'Make it smaller.';
  return textureTooLarge(`Render texture "${name}"`, width, height, largestSize, remedy);
}

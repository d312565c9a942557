import { RhiError } from '../core/errors.js';
import type { CaptureTile } from './capture-tiles.js';

/**
 * The pixels of a captured picture: sRGB RGBA8, not premultiplied (as in ImageData), row 0 at the top,
 * `width` × `height` × 4 bytes.
 */
export interface CapturedFrame {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** WebGPU copies a texture to a buffer in rows of a multiple of 256 bytes. */
const ROW_ALIGNMENT = 256;

/**
 * Converts a read-back surface to ImageData's layout.
 *
 * @param format the surface's storage format; `bgra8unorm` is swizzled
 */
export function unpackCapture(
  bytes: ArrayBuffer,
  width: number,
  height: number,
  format: string,
): CapturedFrame {
  if (width === 0 || height === 0) return { width, height, data: new Uint8ClampedArray(0) };
  const data = new Uint8ClampedArray(width * height * 4);
  unpackTile(bytes, { x: 0, y: 0, width, height }, { width, height, data });
  if (format.startsWith('bgra')) {
    for (let i = 0; i < data.length; i += 4) {
      const blue = data[i] as number;
      data[i] = data[i + 2] as number;
      data[i + 2] = blue;
    }
  }
  divideByAlpha(data);
  return { width, height, data };
}

/**
 * Copies the rows of a tile into a picture.
 * @throws RhiError `capture-failed` if the bytes are not those of the tile
 */
export function unpackTile(bytes: ArrayBuffer, tile: CaptureTile, picture: CapturedFrame): void {
  const { x, y, width, height } = tile;
  const bytesPerRow = Math.ceil((width * 4) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
  if (bytes.byteLength !== bytesPerRow * height) {
    throw new RhiError(
      'capture-failed',
      `The picture of ${picture.width} × ${picture.height} pixels could not be read back. The preceding error event states the reason. Try again.`,
    );
  }
  const source = new Uint8Array(bytes);
  for (let row = 0; row < height; row++) {
    const from = row * bytesPerRow;
    picture.data.set(source.subarray(from, from + width * 4), ((y + row) * picture.width + x) * 4);
  }
}

/** Divides a canvas's premultiplied colours by alpha, as ImageData requires. Opaque pixels stay unchanged. */
export function divideByAlpha(data: Uint8ClampedArray): void {
  for (let i = 0; i < data.length; i += 4) {
    const alpha = data[i + 3] as number;
    if (alpha === 255 || alpha === 0) continue;
    for (let channel = i; channel < i + 3; channel++) {
      data[channel] = ((data[channel] as number) * 255) / alpha;
    }
  }
}

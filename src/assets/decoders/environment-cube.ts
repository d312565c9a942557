/**
 * Decodes the pictures of EXT_lights_image_based as faces of a radiance cube. A PNG with alpha is RGBD: its colours are
 * radiance times alpha, in sRGB (KhronosGroup/glTF#1648). Other formats, such as JPEG, hold radiance from 0 to 1 in
 * sRGB.
 */
import { AS_STORED } from '../../proxy/images/decode-image.js';
import { invalidGltf } from '../asset-error.js';
import { toHalf } from './radiance-hdr.js';
import { isRgbaPng, type RgbaPixels, readRgbaPng } from './rgba-png.js';

/** Largest width and height in pixels. Six faces of this size take 805 MB as half floats. */
const LARGEST_SIZE = 4096;
/** The largest finite half float. */
const BRIGHTEST = 65504;
const ONE = 0x3c00;

export interface FaceRequest {
  /** Name of the file in messages. */
  readonly file: string;
  /** Path within the file. */
  readonly jsonPath: string;
}

export interface DecodedFace {
  /** Width and height in texels. */
  readonly size: number;
  /** Linear RGBA as half floats, in the picture's order of rows. */
  readonly texels: Uint16Array<ArrayBuffer>;
}

export type DecodeFace = typeof decodeFace;

/** Decodes the picture of a face. @throws AssetError `gltf-invalid` */
export async function decodeFace(
  bytes: Uint8Array<ArrayBuffer>,
  { file, jsonPath }: FaceRequest,
): Promise<DecodedFace> {
  const isRgbd = isRgbaPng(bytes);
  try {
    const pixels = await (isRgbd ? readRgbaPng(bytes, LARGEST_SIZE) : readByBrowser(bytes));
    const { width, height } = pixels;
    if (width !== height || width > LARGEST_SIZE)
      throw new Error(`Its size is ${width} × ${height}; a square of 1 to ${LARGEST_SIZE} is possible.`);
    return { size: width, texels: radianceOf(pixels, isRgbd) };
  } catch (cause) {
    throw invalidGltf(file, jsonPath, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

async function readByBrowser(bytes: Uint8Array<ArrayBuffer>): Promise<RgbaPixels> {
  const image = await createImageBitmap(new Blob([bytes]), AS_STORED);
  const { width, height } = image;
  try {
    if (Math.max(width, height) > LARGEST_SIZE) return { width, height, one: 255, values: new Uint8Array() };
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    if (!context) throw new Error('This browser does not return its pixels.');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    return { width, height, one: 255, values: new Uint8Array(data.buffer) };
  } finally {
    image.close();
  }
}

function radianceOf({ width, height, one, values }: RgbaPixels, isRgbd: boolean): Uint16Array<ArrayBuffer> {
  const linear = Float32Array.from({ length: one + 1 }, (_, value) => linearFrom(value / one));
  const texels = new Uint16Array(width * height * 4);
  for (let at = 0; at < texels.length; at += 4) {
    // An alpha of 0 marks radiance beyond the range of RGBD. Use the smallest alpha instead, to avoid a division by 0.
    const divisor = isRgbd ? Math.max(1, values[at + 3] as number) / one : 1;
    for (let channel = 0; channel < 3; channel++) {
      const color = linear[values[at + channel] as number] as number;
      texels[at + channel] = toHalf(Math.min(BRIGHTEST, color / divisor));
    }
    texels[at + 3] = ONE;
  }
  return texels;
}

/** Decodes an sRGB value (IEC 61966-2-1). */
const linearFrom = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;

/**
 * Applies `KTXorientation`, which names the corner where the rows of a KTX2 file start. The usual value `rd` means the
 * upper left. Programs for OpenGL write `ru`, the lower left. The engine's rows start at the upper left, so texels are
 * reordered. Compressed blocks can't be reordered.
 */

import type { DecodedImage } from '../../proxy/images/decode-image.js';
import {
  blockOf,
  featureOf,
  levelSizeOf,
  type TexelFormat,
  unpackTexels,
} from '../../proxy/images/texels.js';
import type { EnvironmentImage } from '../../proxy/scene-description.js';
import { invalidKtx2 } from './ktx2-container.js';

/**
 * Reorders a texture to rows from the upper left.
 * @param value the file's `KTXorientation`
 * @throws AssetError `ktx2-invalid`
 */
export function turnedTexture(decoded: DecodedImage, value: string, file: string): DecodedImage {
  const { image, width, height, texels = 0 } = decoded;
  const { format, levelCount } = unpackTexels(texels);
  const data = image as ArrayBuffer;
  const images = { format, width, height, levelCount: Math.max(1, levelCount), imageCount: 1, data };
  return { ...decoded, image: turned(images, value, file) };
}

/** Reorders each face of an environment to rows from the upper left. @throws AssetError `ktx2-invalid` */
export function turnedRadiance(decoded: EnvironmentImage, value: string, file: string): EnvironmentImage {
  return { ...decoded, data: turned({ ...decoded, levelCount: 1, imageCount: decoded.faces }, value, file) };
}

interface Images {
  readonly format: TexelFormat;
  /** Width of the first level, in texels. */
  readonly width: number;
  readonly height: number;
  /** Levels in `data`, from large to small. */
  readonly levelCount: number;
  /** Images per level: 6 for a cube. */
  readonly imageCount: number;
  readonly data: ArrayBuffer;
}

function turned(images: Images, value: string, file: string): ArrayBuffer {
  const { format, width, height, levelCount, imageCount, data } = images;
  if (!/^[rl][du][io]?$/.test(value)) {
    throw invalidKtx2(
      file,
      `Its KTXorientation is "${value}"; it should be r or l, then d or u, such as "rd".`,
    );
  }
  if (featureOf(format) !== null) {
    throw invalidKtx2(
      file,
      `Its KTXorientation is "${value}", and blocks of ${format} can't be reordered. Export it with rows from the upper left ("rd").`,
    );
  }
  const [isLeft, isUp] = [value[0] === 'l', value[1] === 'u'];
  const from = new Uint8Array(data);
  const to = new Uint8Array(data.byteLength);
  const { bytes } = blockOf(format);
  let at = 0;
  for (let level = 0; level < levelCount; level++) {
    const size = levelSizeOf(format, width, height, level);
    for (let image = 0; image < imageCount; image++, at += size.byteLength) {
      for (let row = 0; row < size.height; row++) {
        const rowFrom = at + (isUp ? size.height - 1 - row : row) * size.bytesPerRow;
        const line = from.subarray(rowFrom, rowFrom + size.bytesPerRow);
        to.set(isLeft ? mirrored(line, bytes) : line, at + row * size.bytesPerRow);
      }
    }
  }
  return to.buffer;
}

/** Returns a row in reverse order. @param bytes bytes per texel */
function mirrored(line: Uint8Array, bytes: number): Uint8Array {
  const result = new Uint8Array(line.length);
  for (let at = 0; at < line.length; at += bytes)
    result.set(line.subarray(at, at + bytes), line.length - bytes - at);
  return result;
}

/**
 * Decodes environments in KTX2 files: cubes and equirectangular images. The result is linear half floats, or BC6H
 * blocks for the GPU. Only the first mip level is read, because the other levels may be filtered for another shading
 * model.
 */
import type { AssetError } from '../../core/errors.js';
import type { EnvironmentFormat, EnvironmentImage } from '../../proxy/scene-description.js';
import { type LoadDecoder, noDecoder } from '../decoders/decoders.js';
import {
  BASIS_LZ,
  invalidKtx2,
  type Ktx2File,
  orientationOf,
  readKtx2,
  readLevel,
} from '../decoders/ktx2-container.js';
import { toHalf } from '../decoders/radiance-hdr.js';

const LARGEST_SIZE = 16384;

interface Format {
  readonly name: string;
  /** Bytes of a texel, or of a block of 4 × 4 texels. */
  readonly bytes: number;
  readonly out: EnvironmentFormat;
  /** Converts texels to half floats; null for blocks, which are kept. */
  readonly unpack: ((from: DataView, texels: Uint16Array, count: number) => void) | null;
}

/** Supported formats by Vulkan's number. */
const FORMATS: Readonly<Record<number, Format>> = {
  97: { name: 'RGBA16F', bytes: 8, out: 'rgba16float', unpack: unpackHalves },
  122: { name: 'R11G11B10', bytes: 4, out: 'rgba16float', unpack: unpackSmallFloats },
  123: { name: 'RGB9E5', bytes: 4, out: 'rgba16float', unpack: unpackSharedExponent },
  143: { name: 'BC6H', bytes: 16, out: 'bc6h-rgb-ufloat', unpack: null },
  144: { name: 'signed BC6H', bytes: 16, out: 'bc6h-rgb-float', unpack: null },
};

/**
 * Decodes the first level of a file.
 * @param file name of the file in messages
 * @throws AssetError `ktx2-invalid`, `ktx2-truncated`, `decoder-blocked`; errors of `loadDecoder`
 */
export async function decodeRadianceKtx2(
  bytes: Uint8Array<ArrayBuffer>,
  file: string,
  loadDecoder: LoadDecoder = noDecoder,
): Promise<EnvironmentImage> {
  const ktx2 = readKtx2(bytes, file);
  const { format, width, height, faces } = checkHeader(ktx2);
  const edge = format.unpack === null ? 4 : 1;
  const length = (width / edge) * (height / edge) * format.bytes * faces;
  const content = await readLevel(ktx2, 0, length, async (packed, unpackedLength) =>
    (await loadDecoder('ktx2')).unpackZstandard(packed, unpackedLength),
  );
  const { unpack, out } = format;
  let data = content.slice(0, unpack ? 0 : length).buffer;
  if (unpack) {
    const count = width * height * faces;
    const texels = new Uint16Array(count * 4);
    unpack(new DataView(content.buffer, content.byteOffset, length), texels, count);
    data = texels.buffer;
  }
  const image: EnvironmentImage = { width, height, faces, format: out, data };
  const orientation = orientationOf(ktx2);
  return orientation === undefined
    ? image
    : (await loadDecoder('ktx2')).turnedRadiance(image, orientation, file);
}

interface Header {
  readonly format: Format;
  readonly width: number;
  readonly height: number;
  readonly faces: 1 | 6;
}

function checkHeader({ vulkanFormat, width, height, depth, layers, faces, scheme, file }: Ktx2File): Header {
  const format = FORMATS[vulkanFormat];
  if (!format) {
    const names = Object.values(FORMATS).map(({ name }) => name);
    throw invalid(file, `Its format is Vulkan's ${vulkanFormat}, which is none of ${names.join(', ')}.`);
  }
  if (scheme === BASIS_LZ)
    throw invalid(file, 'It is packed by scheme 1, which is for Basis Universal alone.');
  const isCube = faces === 6 && width === height;
  const isPanorama = faces === 1 && width === 2 * height;
  if (depth > 1 || layers > 1 || !(isCube || isPanorama)) {
    throw invalid(
      file,
      `It has ${faces} faces of ${width} × ${height}, ${Math.max(depth, layers)} deep: neither a cube nor an equirectangular image, which is twice as wide as high.`,
    );
  }
  if (width < 1 || width > LARGEST_SIZE)
    throw invalid(file, `Its size is ${width} × ${height}; 1 to ${LARGEST_SIZE} is possible.`);
  if (format.unpack === null && (width % 4 !== 0 || height % 4 !== 0))
    throw invalid(
      file,
      `Its size of ${width} × ${height} is not a multiple of its block size, 4 × 4 texels.`,
    );
  return { format, width, height, faces: isCube ? 6 : 1 };
}

const invalid = (file: string, message: string): AssetError =>
  invalidKtx2(file, `${message} Give a cube or an equirectangular image of radiance.`);

const ONE = 0x3c00;
const LARGEST = 0x7bff;

/**
 * Copies half floats. Negative values and NaN become 0, infinity becomes the largest half float, and alpha becomes 1.
 */
function unpackHalves(from: DataView, texels: Uint16Array, count: number): void {
  for (let index = 0; index < count * 4; index++) {
    const half = from.getUint16(index * 2, true);
    const isAlpha = (index & 3) === 3;
    texels[index] = isAlpha ? ONE : half < 0x7c00 ? half : half === 0x7c00 ? LARGEST : 0;
  }
}

/** Converts floats of 11, 11 and 10 bits, which are half floats without the sign and the last bits. */
function unpackSmallFloats(from: DataView, texels: Uint16Array, count: number): void {
  const half = (bits: number): number => (bits < 0x7c00 ? bits : bits === 0x7c00 ? LARGEST : 0);
  for (let texel = 0; texel < count; texel++) {
    const word = from.getUint32(texel * 4, true);
    texels[texel * 4] = half((word & 0x7ff) << 4);
    texels[texel * 4 + 1] = half(((word >>> 11) & 0x7ff) << 4);
    texels[texel * 4 + 2] = half((word >>> 22) << 5);
    texels[texel * 4 + 3] = ONE;
  }
}

/** Converts three 9-bit mantissas with a shared 5-bit exponent. Their largest value is 65,408. */
function unpackSharedExponent(from: DataView, texels: Uint16Array, count: number): void {
  for (let texel = 0; texel < count; texel++) {
    const word = from.getUint32(texel * 4, true);
    const scale = 2 ** ((word >>> 27) - 24);
    for (let channel = 0; channel < 3; channel++) {
      texels[texel * 4 + channel] = toHalf(Math.min(65504, ((word >>> (9 * channel)) & 0x1ff) * scale));
    }
    texels[texel * 4 + 3] = ONE;
  }
}

/**
 * Environments in KTX2 files: cubes, and equirectangular images. Radiance comes out as linear half floats, or as the blocks
 * of BC6H that the GPU reads by itself. Of the mip levels the first is read: the others are filtered for somebody else's shading.
 *
 *   header 80 bytes │ index: offset, length, length when unpacked │ … │ level 0: faces +X −X +Y −Y +Z −Z, rows from the top
 */
import type { AssetError } from '../core/errors.js';
import type { EnvironmentFormat, EnvironmentImage } from '../proxy/scene-description.js';
import { assetError } from './asset-error.js';
import { toHalf } from './radiance-hdr.js';

const LARGEST_SIZE = 16384;
const HEADER_BYTES = 80;
const LEVEL_BYTES = 24;
const ZLIB = 3;

interface Format {
  readonly name: string;
  /** Of a texel, or of a block of 4 × 4. */
  readonly bytes: number;
  readonly out: EnvironmentFormat;
  /** Makes half floats of texels; null: blocks, taken as they are. */
  readonly unpack: ((from: DataView, texels: Uint16Array, count: number) => void) | null;
}

/** By Vulkan's number. */
const FORMATS: Readonly<Record<number, Format>> = {
  97: { name: 'RGBA16F', bytes: 8, out: 'rgba16float', unpack: unpackHalves },
  122: { name: 'R11G11B10', bytes: 4, out: 'rgba16float', unpack: unpackSmallFloats },
  123: { name: 'RGB9E5', bytes: 4, out: 'rgba16float', unpack: unpackSharedExponent },
  131: { name: 'BC6H', bytes: 16, out: 'bc6h-rgb-ufloat', unpack: null },
  132: { name: 'BC6H, signed', bytes: 16, out: 'bc6h-rgb-float', unpack: null },
};

const IDENTIFIER = [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a];

/** Whether a file begins as KTX2 does. */
export const isKtx2 = (bytes: Uint8Array): boolean =>
  IDENTIFIER.every((value, index) => bytes[index] === value);

/**
 * @param file as messages name it
 * @throws AssetError `ktx2-invalid`, `ktx2-truncated`
 */
export async function decodeRadianceKtx2(
  bytes: Uint8Array<ArrayBuffer>,
  file: string,
): Promise<EnvironmentImage> {
  const { format, width, height, faces, level, isPacked } = readHeader(bytes, file);
  const blocks = format.unpack === null ? 4 : 1;
  const length = (width / blocks) * (height / blocks) * format.bytes * faces;
  if (level.offset + level.length > bytes.length || (!isPacked && level.length < length))
    throw truncated(file, bytes.length);
  const packed = bytes.subarray(level.offset, level.offset + level.length);
  const content = isPacked ? await inflate(packed, length, file) : packed;
  if (content.length < length) throw truncated(file, bytes.length);
  const { unpack } = format;
  if (unpack === null) {
    return { width, height, faces, format: format.out, data: content.slice(0, length).buffer };
  }
  const count = width * height * faces;
  const texels = new Uint16Array(count * 4);
  unpack(new DataView(content.buffer, content.byteOffset, length), texels, count);
  return { width, height, faces, format: format.out, data: texels.buffer };
}

interface Header {
  readonly format: Format;
  readonly width: number;
  readonly height: number;
  readonly faces: 1 | 6;
  readonly level: { readonly offset: number; readonly length: number };
  readonly isPacked: boolean;
}

function readHeader(bytes: Uint8Array, file: string): Header {
  if (bytes.length < HEADER_BYTES + LEVEL_BYTES) throw truncated(file, bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [vkFormat, , width, height, depth, layers, faces, , packing] = Array.from({ length: 9 }, (_, index) =>
    view.getUint32(12 + index * 4, true),
  ) as [number, number, number, number, number, number, number, number, number];
  const format = FORMATS[vkFormat];
  if (!format) {
    throw invalid(
      file,
      `Its format is Vulkan's ${vkFormat}, which is none of ${Object.values(FORMATS)
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  }
  if (packing !== 0 && packing !== ZLIB) {
    throw invalid(
      file,
      `It is packed by scheme ${packing}; environments may be unpacked, or packed by ZLIB (3).`,
    );
  }
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
    throw invalid(file, `Its blocks are of 4 × 4 texels, and ${width} × ${height} is no multiple of that.`);
  const level = { offset: wordPair(view, HEADER_BYTES), length: wordPair(view, HEADER_BYTES + 8) };
  return { format, width, height, faces: isCube ? 6 : 1, level, isPacked: packing === ZLIB };
}

/** What is beyond 2^53 is beyond any file as well. */
const wordPair = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;

function invalid(file: string, message: string): AssetError {
  return assetError(
    'ktx2-invalid',
    file,
    '',
    `${message} Give a cube or an equirectangular image of radiance.`,
  );
}

function truncated(file: string, length: number): AssetError {
  return assetError(
    'ktx2-truncated',
    file,
    `byte ${length}`,
    'The file ends here. Download or export it again.',
  );
}

/** Ends where there is more than the image needs: a few bytes may unpack to gigabytes. */
async function inflate(
  packed: Uint8Array<ArrayBuffer>,
  length: number,
  file: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(length);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const reader = unpacked.getReader();
  let filled = 0;
  try {
    while (filled < length) {
      const { done, value } = await reader.read();
      if (done) break;
      content.set(value.subarray(0, length - filled), filled);
      filled += value.length;
    }
  } catch (cause) {
    throw assetError('ktx2-invalid', file, 'level 0', 'It can’t be unpacked. Export it again.', cause);
  } finally {
    reader.cancel().catch(() => {});
  }
  return content.subarray(0, filled);
}

const ONE = 0x3c00;
const LARGEST = 0x7bff;

/** Light is no number below 0: that is none, as is what is no number at all; what is infinite is the brightest there is. */
function unpackHalves(from: DataView, texels: Uint16Array, count: number): void {
  for (let index = 0; index < count * 4; index++) {
    const half = from.getUint16(index * 2, true);
    const isAlpha = (index & 3) === 3;
    texels[index] = isAlpha ? ONE : half < 0x7c00 ? half : half === 0x7c00 ? LARGEST : 0;
  }
}

/** 11, 11 and 10 bits: half floats without sign and without the last bits. */
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

/** Three mantissas of 9 bits times two to an exponent of 5: at most 65,408. */
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

/**
 * Decodes RGBA PNG files without loss. Browsers return pixels only through a canvas, which premultiplies colours by
 * alpha. A small alpha would then lose most bits of the colour, and in RGBD pictures bright texels have a small alpha.
 *
 *   8 bytes │ IHDR: size, depth, kind of colour │ … │ IDAT … IDAT: ZLIB data in parts │ IEND
 *   unpacked: per row a filter byte, then the differences to the pixels on the left and above
 */
import { inflate } from './inflate.js';

/** The signature, and the whole IHDR chunk with its length, name and checksum. */
const HEADER_BYTES = 8 + 8 + 13 + 4;
const HEADER = 0x49484452;
const DATA = 0x49444154;
const END = 0x49454e44;
const RGBA = 6;
const FILTERS = 5;

export interface RgbaPixels {
  readonly width: number;
  readonly height: number;
  /** The value that means 1: 255 or 65,535. */
  readonly one: number;
  /** Four values per pixel, rows from the top. */
  readonly values: Uint8Array | Uint16Array;
}

/** Returns whether the bytes are a PNG file with red, green, blue and alpha. */
export const isRgbaPng = (bytes: Uint8Array): boolean =>
  bytes.length >= HEADER_BYTES &&
  wordAt(bytes, 0) === 0x89504e47 &&
  wordAt(bytes, 12) === HEADER &&
  bytes[25] === RGBA;

/**
 * Decodes a PNG file.
 * @param bytes a file for which `isRgbaPng` returns true
 * @param mostPixels largest width and height
 * @throws Error whose message is a sentence
 */
export async function readRgbaPng(bytes: Uint8Array<ArrayBuffer>, mostPixels: number): Promise<RgbaPixels> {
  const [width, height] = [wordAt(bytes, 16), wordAt(bytes, 20)];
  const [depth, isInterlaced] = [bytes[24], bytes[28] !== 0];
  if (width < 1 || height < 1 || width > mostPixels || height > mostPixels)
    throw new Error(`Its size is ${width} × ${height}; 1 to ${mostPixels} is possible.`);
  if (depth !== 8 && depth !== 16) throw new Error(`It has ${depth} bits a channel; 8 and 16 are possible.`);
  if (isInterlaced) throw new Error('It is interlaced. Save it without interlacing.');
  const pixelBytes = depth / 2;
  const rowBytes = 1 + width * pixelBytes;
  const rows = await unpack(bytes, rowBytes * height);
  if (rows.length < rowBytes * height) throw new Error('It ends early.');
  const channels = new Uint8Array(width * height * pixelBytes);
  for (let row = 0; row < height; row++) undoFilter(rows, channels, row, rowBytes, pixelBytes);
  return depth === 8
    ? { width, height, one: 255, values: channels }
    : { width, height, one: 65535, values: widen(channels) };
}

async function unpack(bytes: Uint8Array<ArrayBuffer>, length: number): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 8; at + 8 <= bytes.length; ) {
    const size = wordAt(bytes, at);
    const kind = wordAt(bytes, at + 4);
    if (kind === END) break;
    if (kind === DATA) parts.push(bytes.subarray(at + 8, at + 8 + size));
    // Length, name and checksum take 12 bytes.
    at += 12 + size;
  }
  const packed = new Uint8Array(await new Blob(parts).arrayBuffer());
  try {
    return await inflate(packed, length);
  } catch (cause) {
    throw new Error('Its pixels can’t be unpacked.', { cause });
  }
}

/** Reverses the filter of a row, byte by byte (PNG specification, section 9). */
function undoFilter(
  rows: Uint8Array,
  to: Uint8Array,
  row: number,
  rowBytes: number,
  pixelBytes: number,
): void {
  const filter = rows[row * rowBytes] as number;
  if (filter >= FILTERS) throw new Error(`Row ${row} has the unknown filter ${filter}.`);
  const length = rowBytes - 1;
  const [from, at] = [row * rowBytes + 1, row * length];
  for (let index = 0; index < length; index++) {
    const left = index < pixelBytes ? 0 : (to[at + index - pixelBytes] as number);
    const above = row === 0 ? 0 : (to[at + index - length] as number);
    const corner = row === 0 || index < pixelBytes ? 0 : (to[at + index - length - pixelBytes] as number);
    const guess =
      filter === 0
        ? 0
        : filter === 1
          ? left
          : filter === 2
            ? above
            : filter === 3
              ? (left + above) >> 1
              : nearest(left, above, corner);
    // The byte array keeps only the lower 8 bits.
    to[at + index] = (rows[from + index] as number) + guess;
  }
}

/** Returns the one of the three values that is nearest to left + above − corner (Paeth's predictor). */
function nearest(left: number, above: number, corner: number): number {
  const [toLeft, toAbove] = [Math.abs(above - corner), Math.abs(left - corner)];
  const toCorner = Math.abs(left + above - 2 * corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** Converts pairs of bytes to 16-bit values, the higher byte first. */
function widen(bytes: Uint8Array): Uint16Array {
  const view = new DataView(bytes.buffer);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, index) => view.getUint16(index * 2));
}

/** Returns four bytes as a big-endian number; 0 beyond the end. */
function wordAt(bytes: Uint8Array, at: number): number {
  return at + 4 <= bytes.length ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(at) : 0;
}

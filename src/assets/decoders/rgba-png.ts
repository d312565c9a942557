/**
 * PNG files of red, green, blue and alpha, value for value. Browsers' own decoders hand colours out through a canvas, which holds
 * them multiplied by alpha: where alpha is small, and in pictures of radiance that is where it is bright, most of their bits are lost.
 *
 *   8 bytes │ IHDR: size, depth, kind of colour │ … │ IDAT … IDAT: ZLIB data in parts │ IEND
 *   unpacked: per row a byte that names a filter, then the differences to the pixels on the left and above
 */
import { inflate } from './inflate.js';

/** 8 bytes, then length and name of the first chunk. */
const HEADER_BYTES = 8 + 8 + 13 + 4;
const HEADER = 0x49484452;
const DATA = 0x49444154;
const END = 0x49454e44;
const RGBA = 6;
const FILTERS = 5;

export interface RgbaPixels {
  readonly width: number;
  readonly height: number;
  /** 255 or 65,535: what stands for 1. */
  readonly one: number;
  /** Four a pixel, rows from the top. */
  readonly values: Uint8Array | Uint16Array;
}

/** Whether it is a PNG file with an alpha channel beside three colours. */
export const isRgbaPng = (bytes: Uint8Array): boolean =>
  bytes.length >= HEADER_BYTES &&
  wordAt(bytes, 0) === 0x89504e47 &&
  wordAt(bytes, 12) === HEADER &&
  bytes[25] === RGBA;

/**
 * @param bytes of a file that `isRgbaPng`
 * @param mostPixels each way
 * @throws Error that says what is wrong, as a sentence
 */
export async function readRgbaPng(bytes: Uint8Array<ArrayBuffer>, mostPixels: number): Promise<RgbaPixels> {
  const [width, height] = [wordAt(bytes, 16), wordAt(bytes, 20)];
  const [depth, isInterlaced] = [bytes[24], bytes[28] !== 0];
  if (width < 1 || height < 1 || width > mostPixels || height > mostPixels)
    throw new Error(`Its size is ${width} × ${height}; 1 to ${mostPixels} is possible.`);
  if (depth !== 8 && depth !== 16) throw new Error(`It has ${depth} bits a channel; 8 and 16 are possible.`);
  if (isInterlaced) throw new Error('It is interlaced. Save it without that.');
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
    // Behind the content a checksum.
    at += 12 + size;
  }
  const packed = new Uint8Array(await new Blob(parts).arrayBuffer());
  try {
    return await inflate(packed, length);
  } catch (cause) {
    throw new Error('Its pixels can’t be unpacked.', { cause });
  }
}

/** Per pixel byte: what the filter has left out is added again (PNG specification, section 9). */
function undoFilter(
  rows: Uint8Array,
  to: Uint8Array,
  row: number,
  rowBytes: number,
  pixelBytes: number,
): void {
  const filter = rows[row * rowBytes] as number;
  if (filter >= FILTERS) throw new Error(`Row ${row} has filter ${filter}, which there is none of.`);
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
    // A byte array keeps the lower 8 bits.
    to[at + index] = (rows[from + index] as number) + guess;
  }
}

/** Paeth's predictor: which of the three is nearest to left + above − corner. */
function nearest(left: number, above: number, corner: number): number {
  const [toLeft, toAbove] = [Math.abs(above - corner), Math.abs(left - corner)];
  const toCorner = Math.abs(left + above - 2 * corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** Pairs of bytes, the higher first. */
function widen(bytes: Uint8Array): Uint16Array {
  const view = new DataView(bytes.buffer);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, index) => view.getUint16(index * 2));
}

/** Four bytes, the highest first; 0 where there are none. */
function wordAt(bytes: Uint8Array, at: number): number {
  return at + 4 <= bytes.length ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(at) : 0;
}

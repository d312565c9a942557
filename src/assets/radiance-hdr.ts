/**
 * Radiance `.hdr` files (RGBE, G. Ward 1991) as linear half floats, row by row from the top.
 *
 *   #?RADIANCE            header: lines of text, an empty line behind the last
 *   FORMAT=32-bit_rle_rgbe
 *
 *   -Y 512 +X 1024        rows from the top, each from the left
 *   02 02 04 00 …         a row: its width, then four planes of runs (red, green, blue, exponent)
 */

import type { AssetError } from '../core/errors.js';
import type { EnvironmentImage } from '../proxy/scene-description.js';
import { assetError } from './asset-error.js';

/** The largest half float that is a number. */
const BRIGHTEST = 65504;
const LARGEST_SIZE = 16384;
/** Of the decoded picture: 16,384 × 8,192 texels. Runs may claim far more than the file's bytes. */
const MAXIMUM_TEXEL_BYTES = 2 ** 30;

/**
 * @param file as messages name it
 * @param onWork called at each row: a large picture takes seconds
 * @throws AssetError `hdr-invalid`, `hdr-truncated`, `asset-too-large`
 */
export function decodeRadianceHdr(
  bytes: Uint8Array,
  file: string,
  onWork: () => void = () => {},
): EnvironmentImage {
  const { width, height, dataAt } = readHeader(bytes, file);
  const texels = allocateTexels(width, height, file);
  const row = new Uint8Array(width * 4);
  const input: Input = { bytes, at: dataAt, file };
  for (let y = 0; y < height; y++) {
    readRow(input, row, width, y);
    writeRow(row, texels, y * width * 4, width);
    onWork();
  }
  return { width, height, faces: 1, format: 'rgba16float', data: texels.buffer };
}

interface Input {
  readonly bytes: Uint8Array;
  at: number;
  readonly file: string;
}

function invalid(file: string, message: string): AssetError {
  return assetError(
    'hdr-invalid',
    file,
    '',
    `${message} Give an equirectangular .hdr file in RGBE, or a .ktx2 file.`,
  );
}

function truncated(file: string, row: number): AssetError {
  return assetError('hdr-truncated', file, `row ${row}`, 'The file ends here. Download or export it again.');
}

function readHeader(bytes: Uint8Array, file: string): { width: number; height: number; dataAt: number } {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 4096));
  if (!/^#\?(RADIANCE|RGBE)/.test(start)) throw invalid(file, 'It does not begin with "#?RADIANCE".');
  const format = /^FORMAT=(.*)$/m.exec(start)?.[1]?.trim();
  if (format !== undefined && format !== '32-bit_rle_rgbe') {
    throw invalid(file, `Its format is "${format}", not "32-bit_rle_rgbe".`);
  }
  const size = /\n\r?\n-Y (\d+) \+X (\d+)\r?\n/.exec(start);
  if (!size) throw invalid(file, 'It gives no size as "-Y height +X width".');
  const height = Number(size[1]);
  const width = Number(size[2]);
  if (width < 1 || height < 1 || width > LARGEST_SIZE || height > LARGEST_SIZE) {
    throw invalid(file, `Its size is ${width} × ${height}; 1 to ${LARGEST_SIZE} is possible.`);
  }
  // What is smaller than that can't be complete, and nothing is allocated for it.
  const dataAt = size.index + size[0].length;
  if (bytes.length < dataAt + height * leastRowBytes(width)) throw truncated(file, 0);
  return { width, height, dataAt };
}

function allocateTexels(width: number, height: number, file: string): Uint16Array<ArrayBuffer> {
  const count = width * height * 4;
  let cause: unknown;
  try {
    if (count * 2 <= MAXIMUM_TEXEL_BYTES) return new Uint16Array(count);
  } catch (error) {
    cause = error;
  }
  const message = `${width} × ${height} texels take ${Math.ceil(count / 2 ** 19)} MiB of memory. Scale the picture down.`;
  throw assetError('asset-too-large', file, '', message, cause);
}

/** Texels as they are, or the row's beginning and, in each plane, runs of 127 at most. */
function leastRowBytes(width: number): number {
  return Math.min(width * 4, 4 + 4 * 2 * Math.ceil(width / 127));
}

/** RGBE of one row, texel by texel. */
function readRow(input: Input, row: Uint8Array, width: number, y: number): void {
  const { bytes, at } = input;
  const isRunLength =
    width >= 8 &&
    width < 32768 &&
    bytes[at] === 2 &&
    bytes[at + 1] === 2 &&
    (((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) === width;
  if (!isRunLength) {
    if (at + width * 4 > bytes.length) throw truncated(input.file, y);
    row.set(bytes.subarray(at, at + width * 4));
    input.at += width * 4;
    return;
  }
  input.at += 4;
  for (let plane = 0; plane < 4; plane++) readPlane(input, row, plane, width, y);
}

function readPlane(input: Input, row: Uint8Array, plane: number, width: number, y: number): void {
  const { bytes } = input;
  for (let x = 0; x < width; ) {
    const code = bytes[input.at++];
    if (code === undefined) throw truncated(input.file, y);
    const isRun = code > 128;
    const count = isRun ? code - 128 : code;
    if (count === 0 || x + count > width)
      throw invalid(input.file, `A run in row ${y} is longer than the row.`);
    if (input.at + (isRun ? 1 : count) > bytes.length) throw truncated(input.file, y);
    for (let index = 0; index < count; index++, x++) {
      row[x * 4 + plane] = bytes[isRun ? input.at : input.at + index] as number;
    }
    input.at += isRun ? 1 : count;
  }
}

const ONE = 0x3c00;

function writeRow(row: Uint8Array, texels: Uint16Array, to: number, width: number): void {
  for (let x = 0; x < width; x++) {
    const from = x * 4;
    const exponent = row[from + 3] as number;
    const scale = exponent === 0 ? 0 : 2 ** (exponent - 136);
    for (let channel = 0; channel < 3; channel++) {
      texels[to + from + channel] = toHalf(Math.min(BRIGHTEST, (row[from + channel] as number) * scale));
    }
    texels[to + from + 3] = ONE;
  }
}

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);

/** IEEE 754 binary16 of a number from 0 to 65,504, rounded to the nearest. */
export function toHalf(value: number): number {
  floats[0] = value;
  const bits = words[0] as number;
  const exponent = (bits >>> 23) - 112;
  // Subnormal halves are multiples of 2^-24.
  if (exponent <= 0) return Math.round(value * 2 ** 24);
  return ((exponent << 10) | ((bits >>> 13) & 0x3ff)) + ((bits >>> 12) & 1);
}

/**
 * Decodes Radiance `.hdr` pictures (G. Ward 1991) to linear half floats, row by row from the top. A texel has three
 * mantissas and one exponent: red, green and blue (RGBE), or CIE X, Y and Z (XYZE). A scanline is a row or a column
 * (`radiance-header.ts`).
 *
 *   02 02 04 00 …              a scanline of 1,024 texels: four planes of runs (three mantissas, exponent)
 *   a0 40 20 81  01 01 01 05   texels one by one; 1, 1, 1, n repeats the previous texel n times (before 1991)
 */

import type { AssetError } from '../../core/errors.js';
import type { EnvironmentImage } from '../../proxy/scene-description.js';
import { assetError } from '../asset-error.js';
import { invalidHdr, type RadianceHeader, readRadianceHeader } from './radiance-header.js';

/** The largest finite half float. */
const BRIGHTEST = 65504;
/** Limit of a colour channel before the conversion to half floats. Sums of a few channels of this size stay finite. */
const MOST_LIGHT = 1e300;
/** Limit of the decoded picture, 16,384 × 8,192 texels, because runs may claim far more than the file's bytes. */
const MAXIMUM_TEXEL_BYTES = 2 ** 30;
/** Least and most texels of scanlines that may be stored in planes. */
const [LEAST_PLANE_TEXELS, MOST_PLANE_TEXELS] = [8, 32767];

/**
 * Matrix from CIE XYZ to linear red, green and blue, by rows. It uses Radiance's default primaries and white, which has
 * X = Y = Z (`src/common/color.h` of Radiance).
 */
const RGB_FROM_XYZ = [
  [2.565313, -1.16685, -0.398463],
  [-1.022108, 1.978287, 0.043822],
  [0.074724, -0.25194, 1.177215],
] as const;

/**
 * Decodes a picture.
 * @param file name of the file in messages
 * @param onWork called per scanline, because a large picture takes seconds
 * @throws AssetError `hdr-invalid`, `hdr-truncated`, `asset-too-large`
 */
export function decodeRadianceHdr(
  bytes: Uint8Array,
  file: string,
  onWork: () => void = () => {},
): EnvironmentImage {
  const header = readRadianceHeader(bytes, file);
  const { width, height, hasRows, isFirstAscending, isSecondAscending, dataAt } = header;
  const [lineCount, length] = hasRows ? [height, width] : [width, height];
  const input: Input = { bytes, at: dataAt, file, lineName: hasRows ? 'row' : 'column' };
  // A file with fewer bytes can't be complete, so allocate nothing for it.
  if (bytes.length < dataAt + lineCount * leastLineBytes(length)) throw truncated(input, 0);
  const texels = allocateTexels(width, height, file);
  const line = new Uint8Array(length * 4);
  const [lineStep, texelStep] = hasRows ? [width * 4, 4] : [4, width * 4];
  for (let index = 0; index < lineCount; index++) {
    readLine(input, line, length, index);
    const at = (isFirstAscending ? index : lineCount - 1 - index) * lineStep;
    const begin = isSecondAscending ? at : at + (length - 1) * texelStep;
    writeLine(line, texels, begin, isSecondAscending ? texelStep : -texelStep, header);
    onWork();
  }
  return { width, height, faces: 1, format: 'rgba16float', data: texels.buffer };
}

interface Input {
  readonly bytes: Uint8Array;
  at: number;
  readonly file: string;
  /** Noun for a scanline in messages. */
  readonly lineName: string;
}

function truncated({ file, lineName }: Input, line: number): AssetError {
  const place = `${lineName} ${line}`;
  return assetError('hdr-truncated', file, place, 'The file ends here. Download or export it again.');
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

/**
 * Returns the least byte count of a scanline: one texel and the markers of old runs that repeat it. Each marker counts
 * 256 times as much as the marker before it.
 */
function leastLineBytes(length: number): number {
  return length === 1 ? 4 : length <= 256 ? 8 : 12;
}

/** Reads one scanline into `line`: three mantissas and an exponent per texel. */
function readLine(input: Input, line: Uint8Array, length: number, index: number): void {
  const { bytes, at } = input;
  const hasPlanes =
    length >= LEAST_PLANE_TEXELS &&
    length <= MOST_PLANE_TEXELS &&
    bytes[at] === 2 &&
    bytes[at + 1] === 2 &&
    (((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) === length;
  if (!hasPlanes) {
    readTexels(input, line, index);
    return;
  }
  input.at += 4;
  for (let plane = 0; plane < 4; plane++) readPlane(input, line, plane, length, index);
}

/** Reads plain texels, and runs of files from before 1991. As in Radiance, a run ends with its scanline. */
function readTexels(input: Input, line: Uint8Array, index: number): void {
  const { bytes, file, lineName } = input;
  let weight = 1;
  for (let filled = 0; filled < line.length; input.at += 4) {
    const { at } = input;
    if (at + 4 > bytes.length) throw truncated(input, index);
    const isRun = bytes[at] === 1 && bytes[at + 1] === 1 && bytes[at + 2] === 1;
    if (!isRun) {
      line.set(bytes.subarray(at, at + 4), filled);
      filled += 4;
      weight = 1;
      continue;
    }
    if (filled === 0)
      throw invalidHdr(file, `A run in ${lineName} ${index} repeats a texel, and there is none before it.`);
    const end = Math.min(line.length, filled + (bytes[at + 3] as number) * weight * 4);
    for (; filled < end; filled += 4) line.copyWithin(filled, filled - 4, filled);
    weight = Math.min(weight * 256, 2 ** 24);
  }
}

function readPlane(input: Input, line: Uint8Array, plane: number, length: number, index: number): void {
  const { bytes, file, lineName } = input;
  for (let filled = 0; filled < length; ) {
    const code = bytes[input.at++];
    if (code === undefined) throw truncated(input, index);
    const isRun = code > 128;
    const count = isRun ? code - 128 : code;
    if (count === 0 || filled + count > length)
      throw invalidHdr(file, `A run in ${lineName} ${index} is empty, or longer than the ${lineName}.`);
    if (input.at + (isRun ? 1 : count) > bytes.length) throw truncated(input, index);
    for (let offset = 0; offset < count; offset++, filled++) {
      line[filled * 4 + plane] = bytes[isRun ? input.at : input.at + offset] as number;
    }
    input.at += isRun ? 1 : count;
  }
}

const ONE = 0x3c00;

/**
 * Writes a scanline as half floats.
 * @param to index of the scanline's first texel in `texels`
 * @param step distance between the scanline's texels in `texels`
 */
function writeLine(
  line: Uint8Array,
  texels: Uint16Array,
  to: number,
  step: number,
  { factors, isXyz }: RadianceHeader,
): void {
  const color = [0, 0, 0];
  for (let from = 0, at = to; from < line.length; from += 4, at += step) {
    const exponent = line[from + 3] as number;
    const scale = exponent === 0 ? 0 : 2 ** (exponent - 136);
    for (let channel = 0; channel < 3; channel++)
      color[channel] = Math.min(
        (line[from + channel] as number) * scale * (factors[channel] as number),
        MOST_LIGHT,
      );
    for (let channel = 0; channel < 3; channel++) {
      const value = isXyz
        ? dot(RGB_FROM_XYZ[channel] as readonly number[], color)
        : (color[channel] as number);
      texels[at + channel] = toHalf(Math.min(BRIGHTEST, Math.max(0, value)));
    }
    texels[at + 3] = ONE;
  }
}

function dot([a = 0, b = 0, c = 0]: readonly number[], [x = 0, y = 0, z = 0]: readonly number[]): number {
  return a * x + b * y + c * z;
}

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);

/** Returns the IEEE 754 binary16 of a number from 0 to 65,504, rounded to the nearest. */
export function toHalf(value: number): number {
  floats[0] = value;
  const bits = words[0] as number;
  const exponent = (bits >>> 23) - 112;
  // Subnormal halves are multiples of 2^-24.
  if (exponent <= 0) return Math.round(value * 2 ** 24);
  return ((exponent << 10) | ((bits >>> 13) & 0x3ff)) + ((bits >>> 12) & 1);
}

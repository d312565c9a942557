/**
 * The header of a Radiance picture: lines of text, an empty line, and the size. The size also defines the order of
 * texels. Its first axis counts scanlines, its second axis the texels per scanline. `-Y` runs from the top, `+X` from
 * the left.
 *
 *   #?RADIANCE
 *   FORMAT=32-bit_rle_rgbe      or 32-bit_rle_xyze; without it RGBE
 *   EXPOSURE=2                  texels are divided by this factor, and by all others of EXPOSURE and COLORCORR
 *
 *   -Y 512 +X 1024              512 scanlines from the top, each of 1,024 texels from the left
 *
 * Source: G. Ward, "Radiance File Formats". PRIMARIES (texels count as linear sRGB), PIXASPECT and VIEW are ignored.
 */
import type { AssetError } from '../../core/errors.js';
import { assetError } from '../asset-error.js';

const LARGEST_SIZE = 16384;
/** Largest size of a header, which may list all commands that created the picture. */
const MAXIMUM_HEADER_BYTES = 65_536;
const SIZE = /^([-+])([XY]) +(\d+) +([-+])([XY]) +(\d+)\r?\n/;

export interface RadianceHeader {
  readonly width: number;
  readonly height: number;
  /** Whether scanlines are rows rather than columns. */
  readonly hasRows: boolean;
  /** Whether scanlines begin with the top row (or left column) rather than the bottom (or right) one. */
  readonly isFirstAscending: boolean;
  /** Whether the first texel of a scanline is at the left of a row or at the top of a column. */
  readonly isSecondAscending: boolean;
  /** Whether texels are CIE XYZ rather than red, green and blue. */
  readonly isXyz: boolean;
  /** Factors from the three components of a texel to radiance. */
  readonly factors: readonly [number, number, number];
  /** Byte offset of the texels. */
  readonly dataAt: number;
}

/** Reads the header. @throws AssetError `hdr-invalid` */
export function readRadianceHeader(bytes: Uint8Array, file: string): RadianceHeader {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, MAXIMUM_HEADER_BYTES));
  if (!/^#\?(RADIANCE|RGBE)/.test(start)) {
    const isHtml = /^\s*<(!doctype|html|head)/i.test(start);
    const found = isHtml
      ? 'It is an HTML page, as some servers answer for a missing file. Check the address.'
      : 'It does not begin with "#?RADIANCE".';
    throw invalidHdr(file, found);
  }
  const end = /\n\r?\n/.exec(start);
  const lines = start.slice(0, end?.index).split(/\r?\n/);
  const format = valuesOf(lines, 'FORMAT').at(-1) ?? '32-bit_rle_rgbe';
  if (format !== '32-bit_rle_rgbe' && format !== '32-bit_rle_xyze') {
    throw invalidHdr(file, `Its format is "${format}", not "32-bit_rle_rgbe" or "32-bit_rle_xyze".`);
  }
  const sizeAt = end ? end.index + end[0].length : 0;
  const [size, firstSign, firstAxis, firstCount, secondSign, secondAxis, secondCount] =
    SIZE.exec(start.slice(sizeAt)) ?? [];
  if (!end || !size || firstAxis === secondAxis)
    throw invalidHdr(file, 'It gives no size such as "-Y height +X width".');
  const hasRows = firstAxis === 'Y';
  const [width, height] = hasRows
    ? [Number(secondCount), Number(firstCount)]
    : [Number(firstCount), Number(secondCount)];
  if (width < 1 || height < 1 || width > LARGEST_SIZE || height > LARGEST_SIZE)
    throw invalidHdr(file, `Its size is ${width} × ${height}; 1 to ${LARGEST_SIZE} is possible.`);
  // Y points up, so rows from the top have descending Y.
  const ascending = (axis = '', sign = ''): boolean => sign === (axis === 'Y' ? '-' : '+');
  return {
    width,
    height,
    hasRows,
    isFirstAscending: ascending(firstAxis, firstSign),
    isSecondAscending: ascending(secondAxis, secondSign),
    isXyz: format === '32-bit_rle_xyze',
    factors: factorsOf(lines, file),
    dataAt: sizeAt + size.length,
  };
}

export function invalidHdr(file: string, message: string): AssetError {
  const remedy = 'Give an equirectangular .hdr file of Radiance (RGBE or XYZE), or a .ktx2 file.';
  return assetError('hdr-invalid', file, '', `${message} ${remedy}`);
}

/** Returns the values of a variable. Indented lines are ignored, because they describe the source pictures. */
function valuesOf(lines: readonly string[], name: string): string[] {
  const begin = `${name}=`;
  return lines.filter((line) => line.startsWith(begin)).map((line) => line.slice(begin.length).trim());
}

function factorsOf(lines: readonly string[], file: string): [number, number, number] {
  const factors: [number, number, number] = [1, 1, 1];
  const divide = (name: string, value: string, count: number): void => {
    const numbers = value.split(/\s+/).map(Number);
    factors.forEach((factor, channel) => {
      factors[channel] = factor / (numbers[count === 1 ? 0 : channel] as number);
    });
    if (numbers.length === count && factors.every((factor) => factor > 0 && factor < Infinity)) return;
    const numbersText = count === 1 ? 'a number' : `${count} numbers`;
    throw invalidHdr(file, `Its header has ${name}=${value}, which should be ${numbersText} above 0.`);
  };
  for (const value of valuesOf(lines, 'EXPOSURE')) divide('EXPOSURE', value, 1);
  for (const value of valuesOf(lines, 'COLORCORR')) divide('COLORCORR', value, 3);
  return factors;
}

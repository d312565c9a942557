/**
 * Tables of colours in the format `.cube` (Adobe, version 1.0): lines of text, with the size, then one colour per line.
 *
 *   LUT_3D_SIZE 2
 *   0 0 0          red changes fastest, then green, then blue
 *   1 0 0
 *   …
 */
import { AssetError } from '../../core/errors.js';
import { ColorTable } from '../../proxy/color-table.js';

const LARGEST_CUBE = 64;
const LARGEST_CURVES = 4096;

/** Header of a file, as far as it has been read. */
interface Header {
  size: number;
  isCube: boolean;
  least: number[];
  most: number[];
}

/**
 * Reads a table of colours from the text of a `.cube` file.
 *
 * @param name name of the file, for messages
 * @throws AssetError `cube-invalid`, `cube-truncated`, `cube-too-large`, each with the line
 * @example engine.effects.colorGrading = { table: parseCube(await (await fetch('film.cube')).text()) };
 */
export function parseCube(text: string, name = 'cube'): ColorTable {
  const header: Header = { size: 0, isCube: false, least: [0, 0, 0], most: [1, 1, 1] };
  let texels = new Float32Array(0);
  let count = 0;
  let expected = 0;
  let number = 0;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    number++;
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const place = { name, number };
    if (/^[A-Z]/i.test(line) && !/^(nan|inf)/i.test(line)) {
      if (count > 0)
        throw invalid(
          place,
          `"${line.slice(0, 40)}" is a keyword between colours. Put all keywords before the first colour.`,
        );
      readKeyword(line, header, place);
      continue;
    }
    if (header.size === 0)
      throw invalid(place, 'A colour comes before the size. Put LUT_1D_SIZE or LUT_3D_SIZE first.');
    if (count === 0) {
      checkDomain(header, place);
      expected = header.isCube ? header.size ** 3 : header.size;
      texels = new Float32Array(expected * 4);
    }
    if (count === expected)
      throw invalid(place, `The table has more colours than its size of ${header.size} allows.`);
    texels.set([...readNumbers(line, 3, place), 1], 4 * texelOf(count++, header));
  }
  if (header.size === 0) throw invalid({ name, number }, 'The file has no LUT_1D_SIZE or LUT_3D_SIZE.');
  if (count < expected || count === 0) {
    const total = header.isCube ? header.size ** 3 : header.size;
    throw new AssetError(
      'cube-truncated',
      `"${name}", line ${number}: The file ends after ${count} of ${total} colours. Download or export it again.`,
    );
  }
  return new ColorTable(name, { ...header, texels });
}

/** Returns the texel of a colour in the layout of `TableData`. @param index number of the colour in the file */
function texelOf(index: number, { size, isCube }: Header): number {
  if (!isCube) return index;
  const red = index % size;
  const green = Math.floor(index / size) % size;
  const blue = Math.floor(index / (size * size));
  return green * size * size + blue * size + red;
}

interface Place {
  readonly name: string;
  /** Number of the line, from 1 on. */
  readonly number: number;
}

function readKeyword(line: string, header: Header, place: Place): void {
  const [keyword = '', ...rest] = line.split(/\s+/);
  const values = rest.join(' ');
  if (keyword === 'TITLE') return;
  if (keyword === 'LUT_1D_SIZE' || keyword === 'LUT_3D_SIZE') {
    if (header.size > 0) throw invalid(place, 'The file has a second size. Use a file with one table.');
    header.isCube = keyword === 'LUT_3D_SIZE';
    header.size = readSize(values, header.isCube, place);
  } else if (keyword === 'DOMAIN_MIN') header.least = readNumbers(values, 3, place);
  else if (keyword === 'DOMAIN_MAX') header.most = readNumbers(values, 3, place);
  else if (keyword === 'LUT_1D_INPUT_RANGE' || keyword === 'LUT_3D_INPUT_RANGE') {
    const [least = 0, most = 1] = readNumbers(values, 2, place);
    header.least = [least, least, least];
    header.most = [most, most, most];
  } else throw invalid(place, `The keyword "${keyword.slice(0, 40)}" is unknown.`);
}

function checkDomain({ least, most }: Header, place: Place): void {
  if (most.some((value, channel) => value <= (least[channel] as number))) {
    throw invalid(place, 'DOMAIN_MAX has to be greater than DOMAIN_MIN.');
  }
}

function readSize(text: string, isCube: boolean, place: Place): number {
  const size = Number(text);
  const most = isCube ? LARGEST_CUBE : LARGEST_CURVES;
  if (!/^\d+$/.test(text) || size < 2)
    throw invalid(place, `The size "${text.slice(0, 40)}" is not a whole number from 2 on.`);
  if (size > most) {
    const limit = `A ${isCube ? '3D' : '1D'} table may have ${most} colours along an edge`;
    throw new AssetError(
      'cube-too-large',
      `"${place.name}", line ${place.number}: ${limit}, and this one has ${size}.`,
    );
  }
  return size;
}

function readNumbers(text: string, count: number, place: Place): number[] {
  const numbers = text.split(/\s+/).map(Number);
  if (numbers.length !== count || !numbers.every(Number.isFinite)) {
    throw invalid(place, `"${text.slice(0, 40)}" is not ${count} numbers.`);
  }
  return numbers;
}

function invalid({ name, number }: Place, fault: string): AssetError {
  return new AssetError('cube-invalid', `"${name}", line ${number}: ${fault}`);
}

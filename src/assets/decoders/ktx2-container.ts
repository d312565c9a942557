/**
 * Reads the parts of KTX2 files that every decoder needs: the header, the level index and the unpacked levels. The
 * index is checked against the file's length first, because it may be wrong.
 *
 *   header 80 bytes │ index: offset, length, length when unpacked │ … │ keys and values │ levels
 *   level: layer by layer, face by face, row by row
 */
import { type AssetError, isTyped } from '../../core/errors.js';
import { assetError } from '../asset-error.js';
import { isWasmBlocked } from './decoders.js';
import { inflate } from './inflate.js';

const HEADER_BYTES = 80;
const LEVEL_BYTES = 24;
/** Offsets of two header fields: the position of the key/value data, and its length. */
const [VALUES_AT, VALUES_LENGTH_AT] = [56, 60];
/** Supercompression schemes. Only Basis Universal uses BasisLZ. */
export const BASIS_LZ = 1;
const ZSTANDARD = 2;
const ZLIB = 3;
/** Maximum count of levels. The largest texture that is decoded has fewer. */
const MOST_LEVELS = 16;

interface Level {
  readonly offset: number;
  readonly length: number;
  readonly unpackedLength: number;
}

export interface Ktx2File {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Name of the file in messages. */
  readonly file: string;
  readonly vulkanFormat: number;
  readonly width: number;
  readonly height: number;
  /** Depth of a 3D texture; else 0. */
  readonly depth: number;
  /** Layers of an array; else 0. */
  readonly layers: number;
  /** Count of faces: 6 for a cube, else 1. */
  readonly faces: number;
  /** Count of levels; 0 for one level from which smaller levels should be generated. */
  readonly levelCount: number;
  readonly scheme: number;
  /** Levels, the largest first. */
  readonly levels: readonly Level[];
}

/** Unpacks Zstandard data to `length` bytes. @throws Error */
type UnpackZstandard = (packed: Uint8Array<ArrayBuffer>, length: number) => Promise<Uint8Array<ArrayBuffer>>;

/** Reads the header and the level index. @throws AssetError `ktx2-invalid`, `ktx2-truncated` */
export function readKtx2(bytes: Uint8Array<ArrayBuffer>, file: string): Ktx2File {
  if (bytes.length < HEADER_BYTES + LEVEL_BYTES) throw truncatedKtx2(file, bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const word = (index: number): number => view.getUint32(12 + index * 4, true);
  const levelCount = word(7);
  if (levelCount > MOST_LEVELS) throw invalidKtx2(file, `It claims ${levelCount} levels.`);
  const count = Math.max(1, levelCount);
  if (HEADER_BYTES + count * LEVEL_BYTES > bytes.length) throw truncatedKtx2(file, bytes.length);
  const levels = Array.from({ length: count }, (_, index): Level => {
    const at = HEADER_BYTES + index * LEVEL_BYTES;
    const offset = wordPair(view, at);
    const length = wordPair(view, at + 8);
    if (offset + length > bytes.length) throw truncatedKtx2(file, bytes.length);
    return { offset, length, unpackedLength: wordPair(view, at + 16) };
  });
  return {
    bytes,
    file,
    vulkanFormat: word(0),
    width: word(2),
    height: word(3),
    depth: word(4),
    layers: word(5),
    faces: word(6),
    levelCount,
    scheme: word(8),
    levels,
  };
}

/**
 * Returns a value of the file's key and value data; undefined if the file lacks the key.
 *
 *   length, "KTXswizzle\0rrr1\0", up to a multiple of 4 │ length, "KTXorientation\0ru\0", …
 */
export function textValueOf({ bytes }: Pick<Ktx2File, 'bytes'>, key: string): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = view.getUint32(VALUES_AT, true);
  const end = Math.min(bytes.length, first + view.getUint32(VALUES_LENGTH_AT, true));
  for (let at = first; at + 4 <= end; ) {
    const length = view.getUint32(at, true);
    const [name, value] = new TextDecoder().decode(bytes.subarray(at + 4, at + 4 + length)).split('\0');
    if (name === key) return value ?? '';
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return undefined;
}

/** Returns the file's `KTXorientation`; undefined if rows start at the upper left, the default. */
export function orientationOf(ktx2: Pick<Ktx2File, 'bytes'>): string | undefined {
  const orientation = textValueOf(ktx2, 'KTXorientation');
  return orientation?.startsWith('rd') ? undefined : orientation;
}

/**
 * Unpacks a level: the bytes of all its layers and faces.
 * @param length bytes that the level's size and format require
 * @throws AssetError `ktx2-invalid`, `ktx2-truncated`, `decoder-blocked`
 */
export async function readLevel(
  { bytes, file, scheme, levels }: Ktx2File,
  level: number,
  length: number,
  unpackZstandard: UnpackZstandard,
): Promise<Uint8Array<ArrayBuffer>> {
  const place = `level ${level}`;
  const entry = levels[level];
  if (!entry) throw truncatedKtx2(file, bytes.length);
  const stored = bytes.subarray(entry.offset, entry.offset + entry.length);
  if (scheme === 0) {
    if (stored.length < length) throw truncatedKtx2(file, bytes.length);
    return stored.subarray(0, length);
  }
  if (scheme !== ZSTANDARD && scheme !== ZLIB) {
    throw invalidKtx2(
      file,
      `Its supercompression scheme ${scheme} is not supported. Export it with Zstandard (2), ZLIB (3) or none.`,
    );
  }
  try {
    const content = await (scheme === ZLIB ? inflate(stored, length) : unpackZstandard(stored, length));
    if (content.length === length) return content;
  } catch (cause) {
    if (isTyped(cause)) throw cause;
    if (isWasmBlocked(cause)) {
      throw assetError('decoder-blocked', file, place, (cause as Error).message, cause);
    }
    throw assetError('ktx2-invalid', file, place, 'It can’t be unpacked. Export it again.', cause);
  }
  throw assetError('ktx2-truncated', file, place, 'It ends early. Download or export it again.');
}

/**
 * Returns the index of the requested image in a level, counted layer by layer and face by face.
 * @param layer the page's option `layer`; needed if the file has several images
 * @throws AssetError `ktx2-invalid` if the option is missing or out of range, or for a 3D texture
 */
export function chosenImage(
  { depth, layers, faces, file }: Pick<Ktx2File, 'depth' | 'layers' | 'faces' | 'file'>,
  layer: number | undefined,
): number {
  if (depth > 1)
    throw invalidKtx2(file, `It is a 3D texture, ${depth} deep. Give one of its slices as a file.`);
  const count = Math.max(1, layers) * Math.max(1, faces);
  if (layer === undefined && count > 1) {
    const contents = faces > 1 ? `a cube of ${faces} faces` : 'an array';
    const others = faces > 1 && layers <= 1 ? ', or light the scene by it with setEnvironment()' : '';
    throw invalidKtx2(
      file,
      `It is ${contents}, ${count} images in all. Select one with texture(…, { layer: 0 to ${count - 1} })${others}.`,
    );
  }
  if (layer !== undefined && layer >= count)
    throw invalidKtx2(file, `There is no image ${layer}: it has ${count}. The first is 0.`);
  return layer ?? 0;
}

export function invalidKtx2(file: string, message: string): AssetError {
  return assetError('ktx2-invalid', file, '', message);
}

function truncatedKtx2(file: string, length: number): AssetError {
  return assetError(
    'ktx2-truncated',
    file,
    `byte ${length}`,
    'The file ends here. Download or export it again.',
  );
}

/** Reads a 64-bit integer. Values above 2^53 lose precision, but they exceed the size of any file. */
const wordPair = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;

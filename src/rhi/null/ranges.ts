/**
 * Whether what a command reads or writes lies in its buffers and textures. A GPU refuses what does not; the
 * null backend has nothing but these sums, made by what the table's rows say of a command's fields.
 *
 *   buffer    0 ──── byteOffset ████ byteLength ──── its size
 *   texture   mip level m: a box of texels at `origin`, in blocks of its format
 */
import { RhiError } from '../../core/errors.js';
import type { CommandFact, HandleWord } from '../commands/command-facts.js';
import type { TextureDescriptor, TextureRegion } from '../commands/descriptors.js';
import { ResourceKind } from '../commands/handles.js';
import { fieldWordsAt, jsonAt } from '../commands/record-fields.js';
import { boxLayout, texelBlock } from '../commands/texel-levels.js';

/** A buffer or texture, as far as it is known. */
export interface Sized {
  readonly label: string;
  readonly byteLength: number;
  /** Undefined for a viewport's target and what is no texture. */
  readonly texture?: Partial<TextureDescriptor> | undefined;
}

type Triple = readonly [number, number, number];

/** What a command's fields say of places in its buffers and textures. */
export interface CommandRanges {
  /** Of its name, for messages: `write`, `copy`. */
  readonly verb: string;
  /** Words of a handle, an offset and a length. */
  readonly parts: readonly (readonly [number, number, number])[];
  /** Where its region lies, which is one of all `textures`, and in the bytes of all `buffers`; −1: it has none. */
  readonly regionWord: number;
  readonly textures: readonly HandleWord[];
  readonly buffers: readonly HandleWord[];
  /** Bytes follow the region. */
  readonly hasData: boolean;
}

export function rangesOf({ name, handles, fields }: CommandFact): CommandRanges {
  const isTexture = ({ kinds }: HandleWord): boolean => kinds[0] === ResourceKind.texture;
  return {
    verb: name.split(/[A-Z]/)[0],
    parts: handles.flatMap(({ word, changes, reads }) => {
      const { fromWord = -1, lengthWord = -1 } = changes ?? reads ?? {};
      return fromWord < 0 || lengthWord < 0 ? [] : [[word, fromWord, lengthWord] as const];
    }),
    regionWord: fields.find(({ shape }) => shape === 'texture region')?.word ?? -1,
    textures: handles.filter(isTexture),
    buffers: handles.filter((handle) => !isTexture(handle)),
    hasData: fields.some(({ wire }) => wire === 'bytes'),
  };
}

/** @throws RhiError `out-of-range`; `bad-record` where a region is no JSON */
export function checkRanges(
  { verb, parts, regionWord, textures, buffers, hasData }: CommandRanges,
  words: Uint32Array,
  at: number,
  find: (handle: number) => Sized,
): void {
  for (const [handle, from, length] of parts) {
    checkBuffer(find(words[at + handle]), verb, words[at + from], words[at + length]);
  }
  if (regionWord < 0) return;
  const region = jsonAt<TextureRegion>(words, at, regionWord);
  for (const { word, usage } of textures) {
    const isSource = textures.length > 1 && usage === 'copySource';
    const mip = isSource ? region.sourceMipLevel : region.mipLevel;
    const texture = find(words[at + word]);
    checkTexture(texture, verb, region, mip, isSource ? region.sourceOrigin : region.origin);
    for (const buffer of buffers) {
      const { byteLength, label } = find(words[at + buffer.word]);
      checkBytes(texture, region, byteLength, label);
    }
    const data = at + regionWord + fieldWordsAt(words, at + regionWord);
    if (hasData) checkBytes(texture, region, words[data]);
  }
}

function checkBuffer({ label, byteLength: size }: Sized, verb: string, from: number, count: number): void {
  if (from + count <= size && from % 4 === 0 && count % 4 === 0) return;
  throw outOfRange(
    `A ${verb} of ${count} bytes at ${from} does not fit the buffer "${label}" of ${size} bytes, or is not in multiples of 4. Name what lies inside.`,
  );
}

function checkTexture(
  { label, texture }: Sized,
  verb: string,
  { width, height, depthOrArrayLayers: depth = 1 }: TextureRegion,
  mip = 0,
  [x, y, z]: Triple = [0, 0, 0],
): void {
  if (texture === undefined) return;
  const [columns, rows, layers] = mipSize(texture, mip);
  const fits =
    isWithin(mip, 1, texture.mipLevelCount ?? 1) &&
    isWithin(x, width, columns) &&
    isWithin(y, height, rows) &&
    isWithin(z, depth, layers);
  if (fits) return;
  throw outOfRange(
    `A ${verb} of ${width} × ${height} × ${depth} texels at ${x}, ${y}, ${z} of mip level ${mip} does not fit the texture "${label}", which has ${columns} × ${rows} × ${layers} there. Name what lies inside.`,
  );
}

/** The rows of a box, in the bytes of a buffer or of a write. */
function checkBytes({ label, texture }: Sized, region: TextureRegion, byteLength: number, buffer = ''): void {
  const { width, height, depthOrArrayLayers: layers = 1, byteOffset = 0 } = region;
  const layout = boxLayout(texture?.format ?? '', width, height, layers);
  if (layout === null) return;
  const { bytesPerRow: rowBytes, rowsPerImage: rows } = layout;
  const { bytesPerRow = rowBytes, rowsPerImage = rows } = region;
  const isEmpty = rowBytes === 0 || rows === 0 || layers === 0;
  const lastRow = rowsPerImage * (layers - 1) + rows - 1;
  const needed = byteOffset + (isEmpty ? 0 : bytesPerRow * lastRow + rowBytes);
  if (needed <= byteLength) return;
  const given = buffer === '' ? `it brings ${byteLength}` : `the buffer "${buffer}" has ${byteLength}`;
  throw outOfRange(
    `A copy of ${width} × ${height} × ${layers} texels of the texture "${label}" takes ${needed} bytes, and ${given}. Bring more, or name a smaller box.`,
  );
}

/** In texels, rounded up to whole blocks, and layers or slices. */
function mipSize(texture: Partial<TextureDescriptor>, mip: number): Triple {
  const { width = 0, height = 1, depthOrArrayLayers: depth = 1, dimension, format = '' } = texture;
  const block = texelBlock(format) ?? { width: 1, height: 1 };
  const along = (size: number, step: number): number => Math.ceil(Math.max(1, size >> mip) / step) * step;
  const layers = dimension === '3d' ? along(depth, 1) : depth;
  return [along(width, block.width), along(height, block.height), layers];
}

function isWithin(first: number, count: number, size: number): boolean {
  return first >= 0 && count >= 0 && first + count <= size && Number.isInteger(first + count);
}

function outOfRange(message: string): RhiError {
  return new RhiError('out-of-range', message);
}

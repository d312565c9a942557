/**
 * Checks that a record is complete, refers to live resources of the right kinds, and reads and writes inside them. The
 * null backend needs these checks, because it has no WebGPU that would make them. The checks are derived from the rows
 * of the table of commands, so a new command is checked without new code.
 *
 *   buffer    0 ──── byteOffset ████ byteLength ──── its size
 *   texture   mip level m: a box of texels at `origin`, in blocks of its format
 */
import { RhiError } from '../../core/errors.js';
import { fieldWordsAt, jsonAt } from '../../core/records/record-fields.js';
import type { CommandInfo, HandleWord } from '../commands/command-info.js';
import type { TextureRegion } from '../commands/descriptors.js';
import { ResourceKind } from '../commands/handles.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { boxLayout, layoutOf, levelBox, texelBlock } from '../commands/texel-levels.js';
import type { KnownResource, Resources } from './resources.js';

export type RecordCheck = (record: CommandRecord, resources: Resources) => void;

/** Block of depth and stencil formats. */
const NO_BLOCK = { bytes: 0, width: 1, height: 1 };

type Triple = readonly [number, number, number];

/**
 * Returns a command's check, which throws RhiError `bad-record`, `stale-handle`, `wrong-handle-kind`, `out-of-range`.
 */
export function recordCheck({ name, handles, fields, leastWords }: CommandInfo): RecordCheck {
  const isTexture = ({ kinds }: HandleWord): boolean => kinds[0] === ResourceKind.texture;
  /** The verb in messages, such as `write` or `copy`. */
  const verb = name.split(/[A-Z]/)[0];
  // Handles that may be of several kinds are not checked. On this backend, destroying a resource twice is no error.
  const needed = handles.filter(({ isCreated, kinds }) => !isCreated && kinds.length === 1);
  const parts = handles.flatMap(({ word, changes, reads }) => {
    const { fromWord = -1, lengthWord = -1 } = changes ?? reads ?? {};
    return fromWord < 0 || lengthWord < 0 ? [] : [{ word, fromWord, lengthWord }];
  });
  const regionWord = fields.find(({ shape }) => shape === 'texture region')?.word ?? -1;
  const textures = handles.filter(isTexture);
  const buffers = handles.filter((handle) => !isTexture(handle));
  const bringsTexels = fields.some(({ wire }) => wire === 'bytes');
  return ({ words, fields: at, fieldWords }, resources) => {
    if (fieldWords < leastWords) {
      throw new RhiError(
        'bad-record',
        `A record "${name}" is too short. Record it with a context of this version.`,
      );
    }
    for (const { word, kinds } of needed) resources.table(kinds[0] as number).get(words[at + word]);
    for (const { word, fromWord, lengthWord } of parts) {
      checkBuffer(resources.get(words[at + word]), verb, words[at + fromWord], words[at + lengthWord]);
    }
    if (regionWord < 0) return;
    const region = jsonAt<TextureRegion>(words, at, regionWord);
    const data = at + regionWord + fieldWordsAt(words, at + regionWord);
    for (const { word, usage } of textures) {
      const isSource = textures.length > 1 && usage === 'copySource';
      const mip = isSource ? region.sourceMipLevel : region.mipLevel;
      const texture = resources.get(words[at + word]);
      checkTexture(texture, verb, region, mip, isSource ? region.sourceOrigin : region.origin);
      for (const buffer of buffers) {
        const { byteLength, label } = resources.get(words[at + buffer.word]);
        checkBytes(texture, region, byteLength, label);
      }
      if (bringsTexels) checkBytes(texture, region, words[data]);
    }
  };
}

function checkBuffer(
  { label, byteLength: size }: KnownResource,
  verb: string,
  from: number,
  count: number,
): void {
  if (from + count <= size && from % 4 === 0 && count % 4 === 0) return;
  throw outOfRange(
    `A ${verb} of ${count} bytes at byte ${from} does not fit the buffer "${label}" of ${size} bytes, or its offset or length is not a multiple of 4. Pass an aligned range inside the buffer.`,
  );
}

function checkTexture(
  { label, texture }: KnownResource,
  verb: string,
  { width, height, depthOrArrayLayers: depth = 1 }: TextureRegion,
  mip = 0,
  [x, y, z]: Triple = [0, 0, 0],
): void {
  if (texture === undefined) return;
  const level = layoutOf(texelBlock(texture.format) ?? NO_BLOCK, levelBox(texture, mip));
  const fits =
    isWithin(mip, 1, texture.mipLevelCount ?? 1) &&
    isWithin(x, width, level.width) &&
    isWithin(y, height, level.height) &&
    isWithin(z, depth, level.depthOrArrayLayers);
  if (fits) return;
  throw outOfRange(
    `A ${verb} of ${width} × ${height} × ${depth} texels at ${x}, ${y}, ${z} does not fit mip level ${mip} of the texture "${label}", which has ${level.width} × ${level.height} × ${level.depthOrArrayLayers} texels. Name a part inside it.`,
  );
}

/** Checks that the rows of a box fit the bytes of a buffer or of a write. */
function checkBytes(
  { label, texture }: KnownResource,
  region: TextureRegion,
  byteLength: number,
  buffer = '',
): void {
  const { width, height, depthOrArrayLayers: layers = 1, byteOffset = 0 } = region;
  const layout = boxLayout(texture?.format ?? '', region);
  if (layout === null) return;
  const { bytesPerRow: rowBytes, rowsPerImage: rows } = layout;
  const { bytesPerRow = rowBytes, rowsPerImage = rows } = region;
  const isEmpty = rowBytes === 0 || rows === 0 || layers === 0;
  const lastRow = rowsPerImage * (layers - 1) + rows - 1;
  const needed = byteOffset + (isEmpty ? 0 : bytesPerRow * lastRow + rowBytes);
  if (needed <= byteLength) return;
  const given = buffer === '' ? `the data has ${byteLength}` : `the buffer "${buffer}" has ${byteLength}`;
  throw outOfRange(
    `A copy of ${width} × ${height} × ${layers} texels of the texture "${label}" takes ${needed} bytes, but ${given}. Pass more bytes, or name a smaller box.`,
  );
}

function isWithin(first: number, count: number, size: number): boolean {
  return first >= 0 && count >= 0 && first + count <= size && Number.isInteger(first + count);
}

function outOfRange(message: string): RhiError {
  return new RhiError('out-of-range', message);
}

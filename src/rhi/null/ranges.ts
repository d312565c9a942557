/**
 * Whether what a command reads or writes lies in its buffers and textures. A GPU refuses what does not; the
 * null backend has nothing but these sums.
 *
 *   buffer    0 ──── byteOffset ████ byteLength ──── its size
 *   texture   mip level m: a box of texels at `origin`, in blocks of its format
 */
import { RhiError } from '../../core/errors.js';
import { RhiOpcode } from '../commands/commands.js';
import type { TextureDescriptor, TextureRegion } from '../commands/descriptors.js';
import { fieldWordsAt, jsonAt } from '../commands/record-fields.js';
import { texelBlock } from '../commands/texel-blocks.js';

/** A buffer or texture, as far as it is known. */
export interface Sized {
  readonly label: string;
  readonly byteLength: number;
  /** Undefined for a viewport's target and what is no texture. */
  readonly texture?: Partial<TextureDescriptor> | undefined;
}

type Find = (handle: number) => Sized;
type Triple = readonly [number, number, number];

/** @throws RhiError `out-of-range`; `bad-record` where a region is no JSON */
export function checkRanges(opcode: number, words: Uint32Array, fields: number, find: Find): void {
  const at = (field: number): number => words[fields + field];
  const buffer = (verb: string, handle: number, byteOffset: number, byteLength: number): void =>
    checkBuffer(find(handle), verb, byteOffset, byteLength);
  switch (opcode) {
    case RhiOpcode.writeBuffer:
    case RhiOpcode.writeBufferUnordered:
      buffer('write', at(0), at(1), at(2));
      break;
    case RhiOpcode.writeBufferFromAttachment:
      buffer('write', at(1), at(2), at(4));
      break;
    case RhiOpcode.clearBuffer:
      buffer('clear', at(0), at(1), at(2));
      break;
    case RhiOpcode.copyBufferToBuffer:
      buffer('copy', at(0), at(1), at(4));
      buffer('copy', at(2), at(3), at(4));
      break;
    case RhiOpcode.readBuffer:
      buffer('read', at(1), at(2), at(3));
      break;
    case RhiOpcode.writeTexture: {
      const region = jsonAt<TextureRegion>(words, fields, 1);
      checkBox(find(at(0)), 'write', region);
      checkBytes(find(at(0)), region, at(1 + fieldWordsAt(words, fields + 1)));
      break;
    }
    case RhiOpcode.writeTextureFromAttachment:
    case RhiOpcode.copyExternalImage:
      checkBox(find(at(1)), 'write', jsonAt<TextureRegion>(words, fields, 2));
      break;
    case RhiOpcode.copyBufferToTexture: {
      const region = jsonAt<TextureRegion>(words, fields, 2);
      checkBox(find(at(1)), 'copy', region);
      checkBytes(find(at(1)), region, find(at(0)).byteLength, find(at(0)).label);
      break;
    }
    case RhiOpcode.copyTextureToBuffer: {
      const region = jsonAt<TextureRegion>(words, fields, 2);
      checkBox(find(at(0)), 'copy', region);
      checkBytes(find(at(0)), region, find(at(1)).byteLength, find(at(1)).label);
      break;
    }
    case RhiOpcode.copyTextureToTexture: {
      const region = jsonAt<TextureRegion>(words, fields, 2);
      checkTexture(find(at(0)), 'copy', region, region.sourceMipLevel, region.sourceOrigin);
      checkBox(find(at(1)), 'copy', region);
      break;
    }
    default:
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

function checkBox(texture: Sized, verb: string, region: TextureRegion): void {
  checkTexture(texture, verb, region, region.mipLevel, region.origin);
}

/** The rows of a box, in the bytes of a buffer or of a write. */
function checkBytes({ label, texture }: Sized, region: TextureRegion, byteLength: number, buffer = ''): void {
  const block = texelBlock(texture?.format ?? '');
  if (block === undefined) return;
  const { width, height, depthOrArrayLayers: layers = 1, byteOffset = 0 } = region;
  const rowBytes = Math.ceil(width / block.width) * block.bytes;
  const rows = Math.ceil(height / block.height);
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

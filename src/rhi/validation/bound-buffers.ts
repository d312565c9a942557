/** A buffer where a pass uses it as vertices, indices or indirect arguments. Per draw; allocates nothing. */
import { BufferUsage } from '../commands/descriptors.js';
import { dynamicDataIsFresh } from './dynamic-data.js';
import type { BufferModel } from './models.js';
import type { ValidationState } from './state.js';
import { ScopeUse, type UsageScope } from './usage-scope.js';

interface BufferUse {
  readonly usage: number;
  readonly name: string;
  readonly alignment: number;
}

export const VERTEX_USE: BufferUse = { usage: BufferUsage.vertex, name: 'a vertex buffer', alignment: 4 };
export const INDEX_USE: BufferUse = { usage: BufferUsage.index, name: 'an index buffer', alignment: 2 };
export const WIDE_INDEX_USE: BufferUse = { ...INDEX_USE, alignment: 4 };
export const INDIRECT_USE: BufferUse = {
  usage: BufferUsage.indirect,
  name: 'indirect arguments',
  alignment: 4,
};

export function bufferFits(
  state: ValidationState,
  scope: UsageScope,
  buffer: BufferModel,
  byteOffset: number,
  byteLength: number,
  { usage, name, alignment }: BufferUse,
): boolean {
  const isUsable = (buffer.usage & usage) !== 0 && buffer.declared === 0;
  if (!isUsable && !state.checkUsage(buffer, usage, name)) return false;
  const end = byteOffset + byteLength;
  return (
    (byteOffset % alignment === 0 || state.checkAlignment(buffer, 'offset', byteOffset, alignment)) &&
    (end <= buffer.byteLength || state.checkRange(buffer, byteOffset, end)) &&
    (buffer.writtenInList === null || dynamicDataIsFresh(state, buffer, byteOffset, byteLength)) &&
    scope.noteBuffer(buffer, ScopeUse.read)
  );
}

/** How many vertices or instances lie in a range; the last one may be short of its padding. */
export function elementCount(bytes: number, stride: number, lastBytes: number): number {
  if (bytes < lastBytes) return 0;
  return stride === 0 ? Number.POSITIVE_INFINITY : Math.floor((bytes - lastBytes) / stride) + 1;
}

/**
 * Clears buffers and textures. The texels are the same as on a GPU, for the formats that `colorTexel` and `depthTexel`
 * support. Other formats are cleared to zeros.
 */

import { jsonAt } from '../../core/records/record-fields.js';
import type { TextureClear, TextureDescriptor } from '../commands/descriptors.js';
import { clearRange } from '../commands/texture-clears.js';
import { type Level, sourceOf, type TextureContents } from './contents.js';
import type { Handler } from './null-backend.js';

export const clearHandlers = {
  clearBuffer: ({ resources }, { words, fields }) =>
    resources.contents(words[fields]).clear(words[fields + 1], words[fields + 2]),
  clearTexture: ({ resources }, { words, fields }) => {
    const { texture, texels, label } = resources.get(words[fields]);
    if (texture && texels) clearTexture(texture, texels, label, jsonAt<TextureClear>(words, fields, 1));
  },
} satisfies Record<string, Handler>;

function clearTexture(
  texture: TextureDescriptor,
  texels: TextureContents,
  label: string,
  clear: TextureClear,
): void {
  const { format, dimension } = texture;
  const { aspect = 'all', color = [], depth = 0, stencil = 0 } = clear;
  const { firstMip, endMip, firstLayer, endLayer } = clearRange(texture, label, clear);
  const isDepth = format.startsWith('depth');
  const isStencil = format.includes('stencil');
  for (let mip = firstMip; mip < endMip; mip++) {
    const fill = (of: GPUTextureAspect, texel: Uint8Array | undefined): void => {
      const level = texels.level(mip, of);
      if (level === null) return;
      if (dimension === '3d') fillLayers(level, 0, level.depthOrArrayLayers, texel);
      else fillLayers(level, firstLayer, endLayer - firstLayer, texel);
    };
    if (isDepth && aspect !== 'stencil-only') fill('depth-only', depthTexel(format, depth));
    if (isStencil && aspect !== 'depth-only') fill('stencil-only', Uint8Array.of(stencil));
    if (!isDepth && !isStencil) fill('all', colorTexel(format, color));
  }
}

/** Fills layers of a level with one texel. @param texel bytes of the texel; undefined for zeros */
function fillLayers(level: Level, first: number, count: number, texel: Uint8Array | undefined): void {
  const { contents, bytesPerRow, rowsPerImage: rows } = level;
  const layerBytes = bytesPerRow * rows;
  contents.clear(first * layerBytes, count * layerBytes);
  if (!texel?.some((value) => value !== 0)) return;
  const row = new Uint8Array(bytesPerRow);
  for (let at = 0; at < bytesPerRow; at += texel.length) row.set(texel, at);
  const source = sourceOf(row);
  for (let y = 0; y < rows * count; y++) {
    contents.copyFrom(source, 0, first * layerBytes + y * bytesPerRow, bytesPerRow);
  }
}

type Write = (view: DataView, at: number, value: number) => void;

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Functions that write one channel, by its type and number of bits. */
const writers: Readonly<Record<string, Write>> = {
  unorm8: (view, at, value) => view.setUint8(at, Math.round(clamp(value, 0, 1) * 255)),
  unorm16: (view, at, value) => view.setUint16(at, Math.round(clamp(value, 0, 1) * 65535), true),
  uint8: (view, at, value) => view.setUint8(at, clamp(value, 0, 255)),
  uint16: (view, at, value) => view.setUint16(at, clamp(value, 0, 65535), true),
  uint32: (view, at, value) => view.setUint32(at, clamp(value, 0, 0xffffffff), true),
  sint8: (view, at, value) => view.setInt8(at, clamp(value, -128, 127)),
  sint16: (view, at, value) => view.setInt16(at, clamp(value, -32768, 32767), true),
  sint32: (view, at, value) => view.setInt32(at, clamp(value, -(2 ** 31), 2 ** 31 - 1), true),
  float32: (view, at, value) => view.setFloat32(at, value, true),
};

/** Returns the bytes of a texel; undefined for other formats, such as packed, half-float and compressed formats. */
function colorTexel(format: string, color: readonly number[]): Uint8Array | undefined {
  const match = /^(rgba|bgra|rg|r)(8|16|32)(unorm|uint|sint|float)(-srgb)?$/.exec(format);
  const [, channels = '', bits = '', type = '', srgb] = match ?? [];
  const write = writers[type + bits];
  if (write === undefined) return undefined;
  const bytesPerChannel = Number(bits) / 8;
  const texel = new Uint8Array(channels.length * bytesPerChannel);
  const view = new DataView(texel.buffer);
  for (const [place, channel] of [...channels].entries()) {
    const value = color['rgba'.indexOf(channel)] ?? 0;
    write(view, place * bytesPerChannel, srgb && channel !== 'a' ? encodedSrgb(value) : value);
  }
  return texel;
}

function depthTexel(format: string, depth: number): Uint8Array | undefined {
  if (format === 'depth16unorm') return colorTexel('r16unorm', [depth]);
  return format.startsWith('depth32float') ? colorTexel('r32float', [depth]) : undefined;
}

/** Encodes a linear value as sRGB (IEC 61966-2-1). */
const encodedSrgb = (value: number): number =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;

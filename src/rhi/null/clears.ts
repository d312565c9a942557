/** Clears, to any value that a format's texels can be written with here (`texel-values.ts`). */
import type { TextureClear, TextureDescriptor } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import { clearRange } from '../commands/texture-clears.js';
import { type Level, sourceOf, type TextureContents } from './contents.js';
import type { Handler } from './parts.js';
import { colorTexel, depthTexel } from './texel-values.js';

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
      if (dimension === '3d') fillLayers(level, 0, level.layers, texel);
      else fillLayers(level, firstLayer, endLayer - firstLayer, texel);
    };
    if (isDepth && aspect !== 'stencil-only') fill('depth-only', depthTexel(format, depth));
    if (isStencil && aspect !== 'depth-only') fill('stencil-only', Uint8Array.of(stencil));
    if (!isDepth && !isStencil) fill('all', colorTexel(format, color));
  }
}

/** @param texel undefined: zeros */
function fillLayers(level: Level, first: number, count: number, texel: Uint8Array | undefined): void {
  const { contents, bytesPerRow, rows } = level;
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

/**
 * Checks a `clearTexture` command for all backends. Finds the part of the texture to clear and the method. A texture
 * with usage `renderAttachment` is cleared by passes, to any value. Other textures are cleared by copies of zeros.
 */
import { RhiError } from '../../core/errors.js';
import { type TextureClear, TextureUsage } from './descriptors.js';
import { type TexelBlock, texelBlock } from './texel-levels.js';

/** A texture's descriptor, or a GPU's texture. */
interface ClearableTexture {
  readonly format: string;
  readonly usage: number;
  readonly mipLevelCount?: number;
  readonly depthOrArrayLayers?: number;
  readonly dimension?: string;
}

/**
 * Returns the mip levels and layers to clear. `block` is the texel block if copies clear the texture; undefined if
 * passes clear it.
 * @throws RhiError `clear-unsupported`, `out-of-range`, `bad-record`, all naming the texture
 */
export function clearRange(texture: ClearableTexture, label: string, clear: TextureClear) {
  const { mipLevelCount: mips = 1, depthOrArrayLayers = 1, dimension } = texture;
  const layers = dimension === '3d' ? 1 : depthOrArrayLayers;
  const { baseMipLevel: firstMip = 0, baseArrayLayer: firstLayer = 0 } = clear;
  const { mipLevelCount = mips - firstMip, arrayLayerCount = layers - firstLayer } = clear;
  const endMip = firstMip + mipLevelCount;
  const endLayer = firstLayer + arrayLayerCount;
  if (!isRange(firstMip, endMip, mips) || !isRange(firstLayer, endLayer, layers)) {
    throw new RhiError(
      'out-of-range',
      `A clear of mip levels ${firstMip} to ${endMip} and layers ${firstLayer} to ${endLayer} does not fit the texture "${label}" of ${mips} mip levels and ${layers} layers. Name a part inside it.`,
    );
  }
  checkValues(texture, label, clear);
  const isDrawn = (texture.usage & TextureUsage.renderAttachment) !== 0;
  const block = isDrawn ? undefined : copiedBlock(texture, label, clear);
  return { firstMip, endMip, firstLayer, endLayer, block };
}

function isRange(first: number, end: number, limit: number): boolean {
  return Number.isInteger(first) && Number.isInteger(end) && first >= 0 && first < end && end <= limit;
}

function checkValues(texture: ClearableTexture, label: string, clear: TextureClear): void {
  const { color, depth = 0, stencil = 0, aspect = 'all' } = clear;
  const hasDepth = texture.format.startsWith('depth');
  const hasStencil = texture.format.includes('stencil');
  const hasAspect =
    aspect === 'all' || (aspect === 'depth-only' && hasDepth) || (aspect === 'stencil-only' && hasStencil);
  if (!hasAspect) {
    throw unsupported(texture, label, `in its aspect "${aspect}"`, 'Name an aspect that it has');
  }
  const isColorGood = color === undefined || (color.length === 4 && color.every(Number.isFinite));
  const isStencilGood = Number.isInteger(stencil) && stencil >= 0 && stencil <= 255;
  if (isColorGood && isStencilGood && depth >= 0 && depth <= 1) return;
  throw new RhiError(
    'bad-record',
    `The texture "${label}" can't be cleared to color ${color}, depth ${depth}, stencil ${stencil}. Give four finite numbers for the color, a depth from 0 to 1, and a whole stencil value from 0 to 255.`,
  );
}

function copiedBlock(texture: ClearableTexture, label: string, { color }: TextureClear): TexelBlock {
  if (color?.some((value) => value !== 0)) {
    throw unsupported(
      texture,
      label,
      'to another value than zero',
      'Create it with usage renderAttachment, if its format supports that',
    );
  }
  const block = texelBlock(texture.format);
  if (block !== undefined && (texture.usage & TextureUsage.copyTarget) !== 0) return block;
  const usages = block === undefined ? 'renderAttachment' : 'renderAttachment or copyTarget';
  throw unsupported(texture, label, 'without one of these usages', `Create it with usage ${usages}`);
}

function unsupported({ format }: ClearableTexture, label: string, how: string, remedy: string): RhiError {
  return new RhiError(
    'clear-unsupported',
    `The texture "${label}" of format ${format} can't be cleared ${how}. ${remedy}.`,
  );
}

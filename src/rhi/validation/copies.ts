/** Copies between buffers and textures, writes, clears and read-backs: usages, alignment, ranges, formats. */
import { BufferUsage, type TextureClear, type TextureRegion, TextureUsage } from '../commands/descriptors.js';
import { fieldWordsAt, jsonAt } from '../commands/record-fields.js';
import { noteDynamicWrite } from './dynamic-data.js';
import { withoutSrgb } from './formats.js';
import { type BufferModel, nameOf, type TextureModel } from './models.js';
import { outsidePass } from './pass-state.js';
import type { Check, ValidationState } from './state.js';
import {
  checkBufferLayout,
  checkTextureSide,
  type TextureSide,
  texelBytesNeeded,
  textureSides,
} from './texel-regions.js';
import { resolveView } from './views.js';

/** Per frame. */
export function writeBuffer({ state, words, at }: Check, canBeInPass: boolean): boolean {
  if (!canBeInPass && !outsidePass(state)) return false;
  const buffer = state.find(state.models.buffers, words[at]);
  if (buffer === null) return false;
  const [byteOffset, byteLength] = [words[at + 1], words[at + 2]];
  if (!checkWrite(state, buffer, byteOffset, byteLength, 'the target of a write')) return false;
  noteDynamicWrite(state, buffer, byteOffset, byteLength);
  return true;
}

export function renameBuffer({ state, words, at }: Check): boolean {
  return state.find(state.models.buffers, words[at]) !== null;
}

export function writeBufferFromAttachment({ state, words, at }: Check): boolean {
  if (!outsidePass(state)) return false;
  const buffer = state.find(state.models.buffers, words[at + 1]);
  if (buffer === null) return false;
  return (
    state.checkAlignment(buffer, 'offset in the data', words[at + 3], 4) &&
    checkWrite(state, buffer, words[at + 2], words[at + 4], 'the target of a write')
  );
}

export function clearBuffer({ state, words, at }: Check): boolean {
  if (!outsidePass(state)) return false;
  const buffer = state.find(state.models.buffers, words[at]);
  return buffer !== null && checkWrite(state, buffer, words[at + 1], words[at + 2], 'the target of a clear');
}

function checkWrite(
  state: ValidationState,
  buffer: BufferModel,
  byteOffset: number,
  byteLength: number,
  use: string,
): boolean {
  return (
    state.checkUsage(buffer, BufferUsage.copyTarget, use) &&
    state.checkAlignment(buffer, 'offset', byteOffset, 4) &&
    state.checkAlignment(buffer, 'length', byteLength, 4) &&
    state.checkRange(buffer, byteOffset, byteOffset + byteLength)
  );
}

export function readBuffer({ state, words, at }: Check): boolean {
  if (!outsidePass(state)) return false;
  const buffer = state.find(state.models.buffers, words[at + 1]);
  if (buffer === null) return false;
  const { mapRead, copySource } = BufferUsage;
  const [byteOffset, byteLength] = [words[at + 2], words[at + 3]];
  return (
    // Every buffer can be read; whether a transition allows it here is what is asked.
    state.checkUsage(buffer, mapRead | copySource, 'the source of a read-back') &&
    state.checkAlignment(buffer, 'offset', byteOffset, (buffer.usage & mapRead) !== 0 ? 8 : 4) &&
    state.checkAlignment(buffer, 'length', byteLength, 4) &&
    state.checkRange(buffer, byteOffset, byteOffset + byteLength)
  );
}

export function copyBufferToBuffer({ state, words, at }: Check): boolean {
  const source = state.find(state.models.buffers, words[at]);
  const target = state.find(state.models.buffers, words[at + 2]);
  if (!outsidePass(state) || source === null || target === null) return false;
  const [sourceOffset, targetOffset, byteLength] = [words[at + 1], words[at + 3], words[at + 4]];
  if (source === target) return state.report('copy-same-buffer', { buffer: nameOf(source) });
  return (
    state.checkUsage(source, BufferUsage.copySource, 'the source of a copy') &&
    state.checkUsage(target, BufferUsage.copyTarget, 'the target of a copy') &&
    state.checkAlignment(source, 'source offset', sourceOffset, 4) &&
    state.checkAlignment(target, 'target offset', targetOffset, 4) &&
    state.checkAlignment(source, 'length', byteLength, 4) &&
    state.checkRange(source, sourceOffset, sourceOffset + byteLength) &&
    state.checkRange(target, targetOffset, targetOffset + byteLength)
  );
}

export function writeTexture({ state, words, at }: Check, isAttachment: boolean): boolean {
  if (!outsidePass(state)) return false;
  const first = isAttachment ? at + 1 : at;
  const texture = state.find(state.models.textures, words[first]);
  if (texture === null) return false;
  const region = jsonAt<TextureRegion>(words, at, first - at + 1);
  const side = textureSides(region).target;
  if (!state.checkUsage(texture, TextureUsage.copyTarget, 'the target of a write')) return false;
  if (!checkTextureSide(state, texture, side, true, isCopiedWhole(texture))) return false;
  const needed = texelBytesNeeded(state, texture, side, region);
  if (needed === null || isAttachment) return needed !== null;
  const given = words[first + 1 + fieldWordsAt(words, first + 1)];
  const total = (region.byteOffset ?? 0) + needed;
  if (total <= given) return true;
  return state.report('texture-data-size', {
    command: state.command,
    resource: nameOf(texture),
    needed: total,
    given,
  });
}

export function copyExternalImage({ state, words, at }: Check): boolean {
  if (!outsidePass(state)) return false;
  const texture = state.find(state.models.textures, words[at + 1]);
  if (texture === null) return false;
  const use = 'the target of an image';
  if (!state.checkUsage(texture, TextureUsage.copyTarget, use)) return false;
  if ((texture.usage & TextureUsage.renderAttachment) === 0) {
    return state.checkUsage(texture, TextureUsage.renderAttachment, use);
  }
  const { info } = texture;
  if (info !== undefined && (!info.sampleType.endsWith('float') || !info.isRenderable)) {
    return state.report('image-format', { resource: nameOf(texture), format: texture.format });
  }
  return checkTextureSide(state, texture, textureSides(jsonAt<TextureRegion>(words, at, 2)).target, false);
}

export function copyBufferAndTexture({ state, words, at }: Check, isToTexture: boolean): boolean {
  const { models } = state;
  const buffer = state.find(models.buffers, words[isToTexture ? at : at + 1]);
  const texture = state.find(models.textures, words[isToTexture ? at + 1 : at]);
  if (!outsidePass(state) || buffer === null || texture === null) return false;
  const region = jsonAt<TextureRegion>(words, at, 2);
  const side = textureSides(region).target;
  const { copySource, copyTarget } = BufferUsage;
  const source = 'the source of a copy';
  const target = 'the target of a copy';
  const isFine =
    state.checkUsage(buffer, isToTexture ? copySource : copyTarget, isToTexture ? source : target) &&
    state.checkUsage(
      texture,
      isToTexture ? TextureUsage.copyTarget : TextureUsage.copySource,
      isToTexture ? target : source,
    ) &&
    checkTextureSide(state, texture, side, isToTexture, isCopiedWhole(texture)) &&
    checkBufferLayout(state, buffer, texture, side, region);
  if (!isFine) return false;
  const needed = texelBytesNeeded(state, texture, side, region);
  const byteOffset = region.byteOffset ?? 0;
  return needed !== null && state.checkRange(buffer, byteOffset, byteOffset + needed);
}

export function copyTextureToTexture({ state, words, at }: Check): boolean {
  const { command } = state;
  const source = state.find(state.models.textures, words[at]);
  const target = state.find(state.models.textures, words[at + 1]);
  if (!outsidePass(state) || source === null || target === null) return false;
  const sides = textureSides(jsonAt<TextureRegion>(words, at, 2));
  if (!state.checkUsage(source, TextureUsage.copySource, 'the source of a copy')) return false;
  if (!state.checkUsage(target, TextureUsage.copyTarget, 'the target of a copy')) return false;
  if (
    withoutSrgb(source.format) !== withoutSrgb(target.format) &&
    source.format !== '?' &&
    target.format !== '?'
  ) {
    const formats = { sourceFormat: source.format, targetFormat: target.format };
    return state.report('copy-formats', {
      command,
      source: nameOf(source),
      target: nameOf(target),
      ...formats,
    });
  }
  if (source.samples !== target.samples) {
    const remedy = `The target has ${target.samples}: use equal counts, or resolve in a pass`;
    return state.report('copy-samples', { command, resource: nameOf(source), count: source.samples, remedy });
  }
  if (source === target && sidesOverlap(source, sides)) {
    return state.report('copy-overlap', { command, resource: nameOf(source) });
  }
  return copySideFits(state, source, sides.source) && copySideFits(state, target, sides.target);
}

function copySideFits(state: ValidationState, texture: TextureModel, side: TextureSide): boolean {
  return checkTextureSide(state, texture, side, null, isCopiedWhole(texture));
}

/** Depth, stencil and samples are copied by whole mip levels only. */
const isCopiedWhole = ({ samples, info }: TextureModel): boolean =>
  samples > 1 || info?.hasDepth === true || info?.hasStencil === true;

function sidesOverlap(
  { dimension }: TextureModel,
  { source, target }: ReturnType<typeof textureSides>,
): boolean {
  if (source.mip !== target.mip) return false;
  // The slices of a 3d texture are one subresource.
  if (dimension === '3d') return true;
  const [first, second] = [source.origin[2], target.origin[2]];
  return first < second + target.layers && second < first + source.layers;
}

export function clearTexture({ state, words, at }: Check): boolean {
  if (!outsidePass(state)) return false;
  const texture = state.find(state.models.textures, words[at]);
  if (texture === null) return false;
  const clear = jsonAt<TextureClear>(words, at, 1);
  const { copyTarget, renderAttachment } = TextureUsage;
  // By passes; where it has no such usage, by copies of zeros, which depth and stencil can't have.
  const isColor = texture.info?.hasDepth !== true && texture.info?.hasStencil !== true;
  const isZero = isColor && !clear.color?.some((value) => value !== 0);
  const usage = isZero ? renderAttachment | copyTarget : renderAttachment;
  if (!state.checkUsage(texture, usage, 'something to be cleared')) return false;
  const { aspect, baseMipLevel, mipLevelCount, baseArrayLayer, arrayLayerCount } = clear;
  const dimension = texture.dimension === '2d' && texture.layers > 1 ? '2d-array' : undefined;
  const part = { aspect, baseMipLevel, mipLevelCount, baseArrayLayer, arrayLayerCount };
  if (resolveView(state, { texture: words[at] as never, dimension, ...part }) === null) return false;
  const { color, depth = 0, stencil = 0 } = clear;
  const isColorGood = color === undefined || (color.length === 4 && color.every(Number.isFinite));
  const isStencilGood = Number.isInteger(stencil) && stencil >= 0 && stencil <= 255;
  const reason = !isColorGood
    ? `the colour ${color}, which is not four finite numbers`
    : !(depth >= 0 && depth <= 1)
      ? `a depth of ${depth}, which is not from 0 to 1`
      : isStencilGood
        ? ''
        : `a stencil value of ${stencil}, which is not from 0 to 255`;
  return reason === '' || state.report('texture-clear', { resource: nameOf(texture), reason });
}

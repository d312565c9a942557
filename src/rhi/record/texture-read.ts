/**
 * Plans the read of a box of texels through a buffer. In the buffer, each row begins at a multiple of 256 bytes. The
 * plan's function `tight` removes the padding between rows.
 *
 *   copied   │ row 0 ····pad│ row 1 ····pad│        read   │ row 0 │ row 1 │
 */
import { RhiError } from '../../core/errors.js';
import type { Shape } from '../../core/options/member.js';
import { number, optional } from '../../core/options/members.js';
import { SHAPES } from '../commands/descriptor-shapes.js';
import { type TextureDescriptor, type TextureRegion, TextureUsage } from '../commands/descriptors.js';
import { layoutOf, levelBox, type TexelBlock, texelBlock } from '../commands/texel-levels.js';

/** WebGPU's alignment of rows in copies between buffers and textures, in bytes. */
const ROW_ALIGNMENT = 256;

/**
 * A box of texels to read. The default is mip level 0, from `origin` (default 0, 0, 0) to the end of the level and
 * the last layer.
 */
export type TextureReadRegion = Partial<
  Pick<TextureRegion, 'width' | 'height' | 'depthOrArrayLayers' | 'mipLevel' | 'origin' | 'aspect'>
>;

/** The members of a `TextureReadRegion`. `planTextureRead` checks ranges, because its error names the texture. */
export const READ_REGION = {
  width: optional(number()),
  height: optional(number()),
  depthOrArrayLayers: optional(number()),
  mipLevel: optional(number()),
  origin: SHAPES['texture region'].origin,
  aspect: SHAPES['texture region'].aspect,
} satisfies Shape;

/** Returns the copy that reads a box of texels. @throws RhiError `out-of-range`, `usage-missing`, `texture-format` */
export function planTextureRead(texture: TextureDescriptor, wanted: TextureReadRegion) {
  const { label, format, usage, mipLevelCount = 1 } = texture;
  const { mipLevel = 0, origin = [0, 0, 0], aspect } = wanted;
  const level = Object.values(levelBox(texture, mipLevel));
  const box = [wanted.width, wanted.height, wanted.depthOrArrayLayers].map(
    (size, axis) => size ?? level[axis] - origin[axis],
  );
  const isInside = box.every(
    (size, axis) => isIndex(size) && isIndex(origin[axis]) && size > 0 && origin[axis] + size <= level[axis],
  );
  if (!isInside || !(isIndex(mipLevel) && mipLevel < mipLevelCount)) {
    throw new RhiError(
      'out-of-range',
      `A read of ${box.join(' × ')} texels at ${origin.join(', ')} of mip level ${mipLevel} does not fit: that level of the texture "${label}" has ${level.join(' × ')} texels, and the texture has ${mipLevelCount} mip levels. Read a part inside it.`,
    );
  }
  if ((usage & TextureUsage.copySource) === 0) {
    throw new RhiError(
      'usage-missing',
      `The texture "${label}" can’t be read: it was created without the usage copySource. Add this usage.`,
    );
  }
  const colorBlock = aspect === undefined || aspect === 'all' ? texelBlock(format) : undefined;
  const block = colorBlock ?? depthBlock(format, aspect);
  if (block === undefined || (texture.sampleCount ?? 1) > 1) {
    throw new RhiError(
      'texture-format',
      `The texture "${label}" of format ${format} and ${texture.sampleCount ?? 1} samples can’t be read${aspect ? ` in the aspect ${aspect}` : ''}. For a format with depth and stencil, name one aspect. Otherwise draw the texture into another texture first.`,
    );
  }
  // WebGPU copies whole blocks, which may reach beyond a level's edge, and whole layers of depth or stencil.
  const steps = colorBlock ? [block.width, block.height] : level.slice(0, 2);
  const isWhole = steps.every(
    (step, axis) =>
      origin[axis] % step === 0 && (box[axis] % step === 0 || origin[axis] + box[axis] === level[axis]),
  );
  if (!isWhole) {
    throw new RhiError(
      'out-of-range',
      `A read of ${box.join(' × ')} texels at ${origin.join(', ')} of the texture "${label}" of format ${format} cuts through blocks of mip level ${mipLevel}. Begin and end at multiples of ${steps[0]} × ${steps[1]} texels.`,
    );
  }
  const [width, height, depthOrArrayLayers] = box;
  const {
    byteLength,
    bytesPerRow: rowBytes,
    ...whole
  } = layoutOf(block, { width, height, depthOrArrayLayers });
  const rows = whole.rowsPerImage * whole.depthOrArrayLayers;
  const bytesPerRow = Math.ceil(rowBytes / ROW_ALIGNMENT) * ROW_ALIGNMENT;
  return {
    region: { ...whole, mipLevel, origin, aspect, bytesPerRow },
    /** Length of the buffer to copy to, in bytes; a multiple of 4. */
    byteLength: bytesPerRow * rows,
    /** Returns the texels without the padding between rows. */
    tight: (copied: ArrayBuffer): Uint8Array<ArrayBuffer> => {
      const bytes = new Uint8Array(byteLength);
      for (let row = 0; row < rows; row++) {
        bytes.set(new Uint8Array(copied, row * bytesPerRow, rowBytes), row * rowBytes);
      }
      return bytes;
    },
  };
}

function isIndex(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

/**
 * Returns the block of the copied aspect of a depth or stencil format. Returns undefined for 24-bit depth, which
 * WebGPU can't copy, and for a format with depth and stencil if `aspect` names neither.
 */
function depthBlock(format: string, aspect: GPUTextureAspect = 'all'): TexelBlock | undefined {
  const onlyAspect = format === 'stencil8' ? 'stencil-only' : 'depth-only';
  const named = aspect === 'all' && !format.includes('-') ? onlyAspect : aspect;
  const isStencil = named === 'stencil-only' && format.includes('stencil8');
  const depthBytes = format === 'depth16unorm' ? 2 : format.startsWith('depth32float') ? 4 : 0;
  const bytes = isStencil ? 1 : named === 'depth-only' ? depthBytes : 0;
  return bytes === 0 ? undefined : { bytes, width: 1, height: 1 };
}

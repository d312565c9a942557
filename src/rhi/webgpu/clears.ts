/**
 * Clears. Of textures WebGPU has no such call. A texture that can be drawn to is cleared by empty passes, one per mip
 * level and layer (or slice of a 3D texture), to any value; another one only to zero, by copies from a buffer that
 * holds nothing else.
 *
 *   usage renderAttachment    pass: load op clear, store         any value; depth and stencil apart
 *   usage copyTarget          zeros ─► copyBufferToTexture       zero; all formats but depth and stencil
 *   neither                   error `clear-unsupported`
 */
import { RhiError } from '../../core/errors.js';
import { BufferUsage, type TextureClear, TextureUsage } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import { type TexelBlock, texelBlock } from '../commands/texel-blocks.js';
import type { CommandRecord, ExecutorParts, Handler } from './parts.js';

/** Holds at least one row of the widest texture there is: 65,536 texels of 16 bytes. */
const ZERO_BYTES = 1 << 20;
const ROW_ALIGNMENT = 256;

interface Subresources {
  readonly texture: GPUTexture;
  readonly label: string;
  readonly clear: TextureClear;
  readonly firstMip: number;
  readonly endMip: number;
  readonly firstLayer: number;
  readonly endLayer: number;
}

export class TextureClears {
  readonly #parts: ExecutorParts;
  #zeros: GPUBuffer | null = null;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** @throws RhiError `clear-unsupported`, `out-of-range`, `bad-record`, all naming the texture */
  clear({ words, fields }: CommandRecord): void {
    const { resources, transfers } = this.#parts;
    this.#parts.outsidePass();
    const { label } = resources.textures.get(words[fields]);
    const clear = jsonAt<TextureClear>(words, fields, 1);
    const texture = transfers.texture(words[fields]);
    if (texture === null) return;
    const range = subresources(texture, label, clear);
    checkValues(range);
    if ((texture.usage & TextureUsage.renderAttachment) !== 0) this.#byPasses(range);
    else this.#byCopies(range);
  }

  dispose(): void {
    this.#zeros?.destroy();
  }

  #byPasses({ texture, label, clear, firstMip, endMip, firstLayer, endLayer }: Subresources): void {
    const { list, timer } = this.#parts;
    const is3d = texture.dimension === '3d';
    for (let mip = firstMip; mip < endMip; mip++) {
      const first = is3d ? 0 : firstLayer;
      const end = is3d ? Math.max(1, texture.depthOrArrayLayers >> mip) : endLayer;
      for (let layer = first; layer < end; layer++) {
        const view = texture.createView({
          dimension: is3d ? '3d' : '2d',
          baseMipLevel: mip,
          mipLevelCount: 1,
          baseArrayLayer: is3d ? 0 : layer,
          arrayLayerCount: 1,
        });
        const attachments = isDepthOrStencil(texture.format)
          ? { colorAttachments: [], depthStencilAttachment: depthStencilClear(view, texture.format, clear) }
          : { colorAttachments: [colorClear(view, clear, is3d ? layer : undefined)] };
        const timestampWrites = timer.passWrites();
        list.current.beginRenderPass({ label: `clear of "${label}"`, ...attachments, timestampWrites }).end();
      }
    }
  }

  #byCopies(range: Subresources): void {
    const { texture, clear, firstMip, endMip } = range;
    const block = texelBlock(texture.format);
    const isZero = !clear.color?.some((value) => value !== 0);
    if (!isZero) {
      throw unsupported(
        range,
        'to another value than zero',
        'Create it with usage renderAttachment, where its format has that',
      );
    }
    if (block === undefined) throw unsupported(range, 'so', 'Create it with usage renderAttachment');
    if ((texture.usage & TextureUsage.copyTarget) === 0) {
      throw unsupported(range, 'so', 'Create it with usage renderAttachment or copyTarget');
    }
    for (let mip = firstMip; mip < endMip; mip++) this.#zeroMip(range, mip, block);
  }

  #zeroMip({ texture, firstLayer, endLayer }: Subresources, mip: number, block: TexelBlock): void {
    const columns = Math.ceil(Math.max(1, texture.width >> mip) / block.width);
    const rows = Math.ceil(Math.max(1, texture.height >> mip) / block.height);
    const is3d = texture.dimension === '3d';
    const end = is3d ? Math.max(1, texture.depthOrArrayLayers >> mip) : endLayer;
    const bytesPerRow = Math.ceil((columns * block.bytes) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
    const rowsPerCopy = Math.floor(ZERO_BYTES / bytesPerRow);
    const buffer = this.#zeroBuffer();
    const width = columns * block.width;
    for (let layer = is3d ? 0 : firstLayer; layer < end; layer++) {
      for (let row = 0; row < rows; row += rowsPerCopy) {
        const origin = [0, row * block.height, layer];
        const height = Math.min(rowsPerCopy, rows - row) * block.height;
        this.#parts.list.current.copyBufferToTexture(
          { buffer, bytesPerRow },
          { texture, mipLevel: mip, origin },
          [width, height, 1],
        );
      }
    }
  }

  /** WebGPU zeroes new buffers by itself. */
  #zeroBuffer(): GPUBuffer {
    this.#zeros ??= this.#parts.device.createBuffer({
      label: 'zeros',
      size: ZERO_BYTES,
      usage: BufferUsage.copySource,
    });
    return this.#zeros;
  }
}

function subresources(texture: GPUTexture, label: string, clear: TextureClear): Subresources {
  const layers = texture.dimension === '3d' ? 1 : texture.depthOrArrayLayers;
  const { baseMipLevel: firstMip = 0, baseArrayLayer: firstLayer = 0 } = clear;
  const { mipLevelCount = texture.mipLevelCount - firstMip, arrayLayerCount = layers - firstLayer } = clear;
  const endMip = firstMip + mipLevelCount;
  const endLayer = firstLayer + arrayLayerCount;
  if (!isRange(firstMip, endMip, texture.mipLevelCount) || !isRange(firstLayer, endLayer, layers)) {
    throw new RhiError(
      'out-of-range',
      `A clear of mip levels ${firstMip} to ${endMip} and layers ${firstLayer} to ${endLayer} does not fit the texture "${label}" of ${texture.mipLevelCount} mip levels and ${layers} layers.`,
    );
  }
  return { texture, label, clear, firstMip, endMip, firstLayer, endLayer };
}

function isRange(first: number, end: number, limit: number): boolean {
  return Number.isInteger(first) && Number.isInteger(end) && first >= 0 && first < end && end <= limit;
}

function checkValues(range: Subresources): void {
  const { clear, texture, label } = range;
  const { color, depth = 0, stencil = 0, aspect = 'all' } = clear;
  const hasDepth = texture.format.startsWith('depth');
  const hasStencil = texture.format.includes('stencil');
  const hasAspect =
    aspect === 'all' || (aspect === 'depth-only' && hasDepth) || (aspect === 'stencil-only' && hasStencil);
  if (!hasAspect) throw unsupported(range, `in its aspect "${aspect}"`, 'Name an aspect that it has');
  const isColorGood = color === undefined || (color.length === 4 && color.every(Number.isFinite));
  const isStencilGood = Number.isInteger(stencil) && stencil >= 0 && stencil <= 255;
  if (isColorGood && isStencilGood && depth >= 0 && depth <= 1) return;
  throw new RhiError(
    'bad-record',
    `The texture "${label}" was to be cleared to color ${color}, depth ${depth}, stencil ${stencil}. Give four finite numbers, 0 to 1, and 0 to 255.`,
  );
}

const isDepthOrStencil = (format: string): boolean => /^depth|^stencil/.test(format);

function colorClear(
  view: GPUTextureView,
  { color = [0, 0, 0, 0] }: TextureClear,
  depthSlice: number | undefined,
): GPURenderPassColorAttachment {
  return { view, depthSlice, clearValue: [...color], loadOp: 'clear', storeOp: 'store' };
}

/** The aspect that is not meant keeps what it has. */
function depthStencilClear(
  view: GPUTextureView,
  format: string,
  { aspect = 'all', depth = 0, stencil = 0 }: TextureClear,
): GPURenderPassDepthStencilAttachment {
  const attachment: GPURenderPassDepthStencilAttachment = { view };
  if (format.startsWith('depth')) {
    attachment.depthLoadOp = aspect === 'stencil-only' ? 'load' : 'clear';
    attachment.depthClearValue = depth;
    attachment.depthStoreOp = 'store';
  }
  if (format.includes('stencil')) {
    attachment.stencilLoadOp = aspect === 'depth-only' ? 'load' : 'clear';
    attachment.stencilClearValue = stencil;
    attachment.stencilStoreOp = 'store';
  }
  return attachment;
}

function unsupported({ texture, label }: Subresources, how: string, remedy: string): RhiError {
  return new RhiError(
    'clear-unsupported',
    `The texture "${label}" of format ${texture.format} can't be cleared ${how}. ${remedy}.`,
  );
}

export const clearHandlers = {
  clearBuffer: (parts, { words, fields }) => {
    parts.outsidePass();
    const target = parts.resources.buffers.get(words[fields]).gpu;
    if (target) parts.list.current.clearBuffer(target, words[fields + 1], words[fields + 2]);
  },
  clearTexture: ({ clears }, record) => clears.clear(record),
} satisfies Record<string, Handler>;

/**
 * Clears of textures, of which WebGPU has no such call. A texture that can be drawn to is cleared by empty passes, one per mip
 * level and layer (or slice of a 3D texture), to any value; another one only to zero, by copies from a buffer that
 * holds nothing else.
 *
 *   usage renderAttachment    pass: load op clear, store         any value; depth and stencil apart
 *   usage copyTarget          zeros ─► copyBufferToTexture       zero; all formats but depth and stencil
 *   neither                   error `clear-unsupported`
 */
import { BufferUsage, type TextureClear } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import type { TexelBlock } from '../commands/texel-levels.js';
import { type ClearRange, clearRange } from '../commands/texture-clears.js';
import type { ExecutorParts } from './parts.js';

/** Holds at least one row of the widest texture there is: 65,536 texels of 16 bytes. */
const ZERO_BYTES = 1 << 20;
const ROW_ALIGNMENT = 256;

interface Subresources extends ClearRange {
  readonly texture: GPUTexture;
  readonly label: string;
  readonly clear: TextureClear;
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
    const range = { texture, label, clear, ...clearRange(texture, label, clear) };
    const { block, firstMip, endMip } = range;
    if (block === undefined) this.#byPasses(range);
    else for (let mip = firstMip; mip < endMip; mip++) this.#zeroMip(range, mip, block);
  }

  dispose(): void {
    if (this.#zeros !== null) this.#parts.resources.memory.destroy(this.#zeros);
  }

  #byPasses({ texture, label, clear, firstMip, endMip, firstLayer, endLayer }: Subresources): void {
    const { list, seldom } = this.#parts;
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
        const timestampWrites = seldom?.timer.passWrites('clear');
        list.current.beginRenderPass({ label: `clear of "${label}"`, ...attachments, timestampWrites }).end();
      }
    }
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
    this.#zeros ??= this.#parts.resources.memory.createBuffer({
      label: 'zeros',
      size: ZERO_BYTES,
      usage: BufferUsage.copySource,
    });
    return this.#zeros;
  }
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

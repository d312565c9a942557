/**
 * Clears textures. WebGPU has no command for that. Empty passes clear a texture with usage `renderAttachment` to any
 * value, one pass per mip level and layer (or slice of a 3D texture). Copies from a buffer of zeros clear other
 * textures to zero.
 *
 *   usage renderAttachment    pass: load op clear, store         any value; depth or stencil alone, if requested
 *   usage copyTarget          zeros ─► copyBufferToTexture       zero; no depth and stencil formats
 *   other usages              error `clear-unsupported`
 */

import { jsonAt } from '../../../core/records/record-fields.js';
import { BufferUsage, type TextureClear } from '../../commands/descriptors.js';
import type { CommandRecord } from '../../commands/record-sequence.js';
import { layoutOf, levelBox, type TexelBlock } from '../../commands/texel-levels.js';
import { clearRange } from '../../commands/texture-clears.js';
import type { WebGpuBackend } from '../webgpu-backend.js';

/**
 * Bytes of the buffer of zeros. It has room for a row of 65,536 texels of 16 bytes, which is wider than any texture.
 */
const ZERO_BYTES = 1 << 20;
/** WebGPU's alignment of rows in copies between buffers and textures, in bytes. */
const ROW_ALIGNMENT = 256;

export class TextureClears {
  readonly #backend: WebGpuBackend;
  #zeros: GPUBuffer | null = null;

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
  }

  /**
   * Clears a texture, or a part of it.
   * @throws RhiError `clear-unsupported`, `out-of-range`, `bad-record`, which name the texture; `stale-handle`
   */
  clear({ words, fields }: CommandRecord): void {
    const { label } = this.#backend.resources.textures.get(words[fields]);
    const clear = jsonAt<TextureClear>(words, fields, 1);
    const texture = this.#backend.texture(words[fields])?.gpu;
    if (texture === undefined) return;
    const { firstMip, endMip, firstLayer, endLayer, block } = clearRange(texture, label, clear);
    const is3d = texture.dimension === '3d';
    for (let mip = firstMip; mip < endMip; mip++) {
      const end = is3d ? Math.max(1, texture.depthOrArrayLayers >> mip) : endLayer;
      for (let layer = firstLayer; layer < end; layer++) {
        if (block === undefined) this.#byPass(texture, mip, layer, label, clear);
        else this.#byZeros(texture, mip, layer, block);
      }
    }
  }

  dispose(): void {
    if (this.#zeros !== null) this.#backend.resources.memory.destroy(this.#zeros);
  }

  #byPass(texture: GPUTexture, mip: number, layer: number, label: string, clear: TextureClear): void {
    const { list, rare } = this.#backend;
    const { format } = texture;
    const is3d = texture.dimension === '3d';
    const view = texture.createView({
      dimension: is3d ? '3d' : '2d',
      baseMipLevel: mip,
      mipLevelCount: 1,
      baseArrayLayer: is3d ? 0 : layer,
      arrayLayerCount: 1,
    });
    const attachments = /^depth|^stencil/.test(format)
      ? { colorAttachments: [], depthStencilAttachment: depthStencilClear(view, format, clear) }
      : { colorAttachments: [colorClear(view, clear, is3d ? layer : undefined)] };
    const timestampWrites = rare.timer.passWrites('clear');
    list.current.beginRenderPass({ label: `clear of "${label}"`, ...attachments, timestampWrites }).end();
  }

  #byZeros(texture: GPUTexture, mipLevel: number, layer: number, block: TexelBlock): void {
    const { width, rowsPerImage: rows, ...packed } = layoutOf(block, levelBox(texture, mipLevel));
    const bytesPerRow = Math.ceil(packed.bytesPerRow / ROW_ALIGNMENT) * ROW_ALIGNMENT;
    const rowsPerCopy = Math.floor(ZERO_BYTES / bytesPerRow);
    // A new buffer has zeros already.
    this.#zeros ??= this.#backend.resources.memory.createBuffer({
      label: 'zeros',
      size: ZERO_BYTES,
      usage: BufferUsage.copySource,
    });
    for (let row = 0; row < rows; row += rowsPerCopy) {
      const height = Math.min(rowsPerCopy, rows - row) * block.height;
      this.#backend.list.current.copyBufferToTexture(
        { buffer: this.#zeros, bytesPerRow },
        { texture, mipLevel, origin: [0, row * block.height, layer] },
        [width, height, 1],
      );
    }
  }
}

function colorClear(
  view: GPUTextureView,
  { color = [0, 0, 0, 0] }: TextureClear,
  depthSlice: number | undefined,
): GPURenderPassColorAttachment {
  return { view, depthSlice, clearValue: [...color], loadOp: 'clear', storeOp: 'store' };
}

/** Returns an attachment that clears depth, stencil or both, and keeps the aspect that is not cleared. */
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

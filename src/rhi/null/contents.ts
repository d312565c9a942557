/**
 * Contents of buffers and textures without a GPU: bytes, in pages of 64 KiB. The first write to a page allocates it.
 * Unwritten bytes are zeros, as on a GPU, and take no memory.
 *
 *   buffer    0 ─── page ─── 64 KiB ─── (none: zeros) ─── 128 KiB ─── page …
 *   texture   by mip level and aspect: rows of blocks without padding, layer by layer (`texel-levels.ts`)
 */
import { RhiError } from '../../core/errors.js';
import type { TextureDescriptor, TextureRegion } from '../commands/descriptors.js';
import {
  type LevelLayout,
  layoutOf,
  levelBox,
  type TexelBlock,
  texelBlock,
} from '../commands/texel-levels.js';

const PAGE_BYTES = 65536;
const ZEROS = new Uint8Array(PAGE_BYTES);
/** Maximum bytes of a mip level whose contents are kept. */
const MOST_LEVEL_BYTES = 2 ** 28;

/** A source of copied bytes. */
interface ByteSource {
  /** Returns a view of the first contiguous bytes of the range; empty past the end of the source. */
  read(byteOffset: number, byteLength: number): Uint8Array;
}

export class Contents implements ByteSource {
  readonly #pages = new Map<number, Uint8Array>();

  read(byteOffset: number, byteLength: number): Uint8Array {
    const begin = byteOffset % PAGE_BYTES;
    const page = this.#pages.get(Math.floor(byteOffset / PAGE_BYTES)) ?? ZEROS;
    return page.subarray(begin, begin + byteLength);
  }

  /** Returns a copy of the bytes. */
  slice(byteOffset: number, byteLength: number): ArrayBuffer {
    const bytes = new Uint8Array(byteLength);
    for (let at = 0; at < byteLength; ) {
      const part = this.read(byteOffset + at, byteLength - at);
      bytes.set(part, at);
      at += part.length;
    }
    return bytes.buffer;
  }

  /** Copies bytes from a source. @throws RhiError `bad-write` if the source has fewer bytes */
  copyFrom(source: ByteSource, sourceByteOffset: number, byteOffset: number, byteLength: number): void {
    for (let at = 0; at < byteLength; ) {
      const left = PAGE_BYTES - ((byteOffset + at) % PAGE_BYTES);
      const part = source.read(sourceByteOffset + at, Math.min(byteLength - at, left));
      if (part.length === 0) {
        throw new RhiError(
          'bad-write',
          `A write needs ${byteLength} bytes from offset ${sourceByteOffset} of its data, but the data has only ${at}. Pass all the data.`,
        );
      }
      this.#write(byteOffset + at, part);
      at += part.length;
    }
  }

  clear(byteOffset: number, byteLength: number): void {
    for (const [number, page] of this.#pages) {
      const begin = byteOffset - number * PAGE_BYTES;
      if (begin <= 0 && begin + byteLength >= PAGE_BYTES) this.#pages.delete(number);
      else if (begin + byteLength > 0) page.fill(0, Math.max(0, begin), begin + byteLength);
    }
  }

  /** Writes bytes that lie in one page. */
  #write(byteOffset: number, bytes: Uint8Array): void {
    const number = Math.floor(byteOffset / PAGE_BYTES);
    let page = this.#pages.get(number);
    if (page === undefined) {
      if (bytes.buffer === ZEROS.buffer) return;
      page = new Uint8Array(PAGE_BYTES);
      this.#pages.set(number, page);
    }
    page.set(bytes, byteOffset % PAGE_BYTES);
  }
}

export const sourceOf = (bytes: Uint8Array): ByteSource => ({
  read: (byteOffset, byteLength) => bytes.subarray(byteOffset, byteOffset + byteLength),
});

/** Position of a box of texel blocks within a source of bytes. */
interface Box {
  readonly bytes: ByteSource;
  /** Byte offset of the box's first block. */
  readonly byteOffset: number;
  readonly bytesPerRow: number;
  readonly bytesPerLayer: number;
}

/** One mip level of a texture, in one aspect. */
export interface Level extends LevelLayout {
  readonly contents: Contents;
  readonly block: TexelBlock;
}

export class TextureContents {
  readonly #texture: TextureDescriptor;
  readonly #levels = new Map<string, Contents>();

  constructor(texture: TextureDescriptor) {
    this.#texture = texture;
  }

  /**
   * Returns a mip level with its contents. Returns null if no contents are kept: for multisampled textures, aspects
   * that can't be copied, and large levels.
   */
  level(mipLevel = 0, aspect: GPUTextureAspect = 'all'): Level | null {
    const { format, sampleCount = 1 } = this.#texture;
    const block = texelBlock(format) ?? aspectBlock(format, aspect);
    if (block === undefined || sampleCount > 1) return null;
    const layout = layoutOf(block, levelBox(this.#texture, mipLevel));
    if (!(layout.byteLength <= MOST_LEVEL_BYTES)) return null;
    const key = `${isStencil(format, aspect)} ${mipLevel}`;
    const contents = this.#levels.get(key) ?? new Contents();
    this.#levels.set(key, contents);
    return { ...layout, contents, block };
  }

  /** Returns the position of a region in its level; null if no contents are kept. */
  box({ mipLevel, origin: [x, y, z] = [0, 0, 0], aspect }: TextureRegion): Box | null {
    const level = this.level(mipLevel, aspect);
    if (level === null) return null;
    const { contents, block, bytesPerRow, rowsPerImage } = level;
    const row = z * rowsPerImage + Math.floor(y / block.height);
    const byteOffset = row * bytesPerRow + Math.floor(x / block.width) * block.bytes;
    return { bytes: contents, byteOffset, bytesPerRow, bytesPerLayer: bytesPerRow * rowsPerImage };
  }

  /** Returns the position of a region in the bytes of a buffer or a write, by WebGPU's layout. */
  linearBox(bytes: ByteSource, region: TextureRegion): Box {
    const packed = layoutOf(this.#blockOf(region), region);
    const { byteOffset = 0, bytesPerRow = packed.bytesPerRow, rowsPerImage = packed.rowsPerImage } = region;
    return { bytes, byteOffset, bytesPerRow, bytesPerLayer: bytesPerRow * rowsPerImage };
  }

  /** Copies the rows of a region. Does nothing if either box is null. */
  copy(from: Box | null, to: Box | null, region: TextureRegion): void {
    if (from === null || to === null || !(to.bytes instanceof Contents)) return;
    const layout = layoutOf(this.#blockOf(region), region);
    const { bytesPerRow, rowsPerImage: rows, depthOrArrayLayers } = layout;
    for (let layer = 0; layer < depthOrArrayLayers; layer++) {
      for (let row = 0; row < rows; row++) {
        const source = from.byteOffset + layer * from.bytesPerLayer + row * from.bytesPerRow;
        const target = to.byteOffset + layer * to.bytesPerLayer + row * to.bytesPerRow;
        to.bytes.copyFrom(from.bytes, source, target, bytesPerRow);
      }
    }
  }

  #blockOf({ mipLevel, aspect }: TextureRegion): TexelBlock {
    return this.level(mipLevel, aspect)?.block ?? { bytes: 0, width: 1, height: 1 };
  }
}

const isStencil = (format: string, aspect: GPUTextureAspect): boolean =>
  format === 'stencil8' || aspect === 'stencil-only';

/**
 * Returns the block of an aspect of a depth or stencil format. Depth of 24 bits has no block, because WebGPU does not
 * expose its bytes.
 */
function aspectBlock(format: string, aspect: GPUTextureAspect): TexelBlock | undefined {
  if (isStencil(format, aspect)) return { bytes: 1, width: 1, height: 1 };
  if (format === 'depth16unorm') return { bytes: 2, width: 1, height: 1 };
  return format.startsWith('depth32float') ? { bytes: 4, width: 1, height: 1 } : undefined;
}

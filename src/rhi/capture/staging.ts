/**
 * Reads many buffers and textures back at once. They are copied side by side into few staging buffers, in order with
 * the queue's other work. The bytes arrive when the GPU has executed the copies. No thread blocks.
 *
 *   staging buffer 0   │ buffer a │ texture b, mip 0, rows of 256 n bytes │ mip 1 │      at most `STAGING_BYTES`
 *   staging buffer 1   │ buffer c, larger than `STAGING_BYTES` │
 */
import { messageOf, RhiError } from '../../core/errors.js';
import { BufferUsage } from '../commands/descriptors.js';
import type { LevelLayout } from '../commands/texel-levels.js';
import { GpuWork } from '../webgpu/device/gpu-work.js';
import type { WebGpuBackend } from '../webgpu/webgpu-backend.js';
import type { CapturedContent } from './capture-file.js';
import { capturedLayout } from './texture-contents.js';

/** The parts of an executor that staging needs. */
export type SnapshotBackend = Pick<WebGpuBackend, 'device' | 'list' | 'resources'>;

const STAGING_BYTES = 1 << 25;
/** WebGPU's alignment of rows of texels, in bytes; a multiple of all other alignments of copies. */
const ALIGNMENT = 256;
const MAP_READ = 1;
const MAPPED = BufferUsage.mapRead | BufferUsage.mapWrite;

/** One copy out of the GPU. */
interface StagedCopy {
  /** Number of bytes that the copy takes in the staging buffer. */
  readonly byteLength: number;
  encode(encoder: GPUCommandEncoder, staging: GPUBuffer, byteOffset: number): void;
  /** Returns a copy of the bytes without padding. @param staged the copy's part of the mapped staging buffer */
  unpack(staged: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
}

function bufferCopy(buffer: GPUBuffer, byteLength: number): StagedCopy {
  return {
    byteLength,
    encode: (encoder, staging, byteOffset) =>
      encoder.copyBufferToBuffer(buffer, 0, staging, byteOffset, byteLength),
    unpack: (staged) => staged.slice(),
  };
}

/** Describes the copy of a box of texels. @param source texture, mip level and origin; `layout` has the box's size */
export function textureCopy(source: GPUTexelCopyTextureInfo, layout: LevelLayout): StagedCopy {
  const { bytesPerRow, rowsPerImage } = layout;
  const stagedPerRow = align(bytesPerRow);
  const rows = rowsPerImage * layout.depthOrArrayLayers;
  return {
    byteLength: stagedPerRow * rows,
    encode: (encoder, buffer, offset) =>
      encoder.copyTextureToBuffer(
        source,
        { buffer, offset, bytesPerRow: stagedPerRow, rowsPerImage },
        layout,
      ),
    unpack: (staged) => {
      const bytes = new Uint8Array(layout.byteLength);
      for (let row = 0; row < rows; row++) {
        const from = row * stagedPerRow;
        bytes.set(staged.subarray(from, from + bytesPerRow), row * bytesPerRow);
      }
      return bytes;
    },
  };
}

/**
 * Distributes copies over staging buffers.
 * @returns `buffers`: length of each staging buffer in bytes; `places`: index of the buffer and byte offset of each
 * copy
 */
export function planStaging(byteLengths: readonly number[], maximumBytes = STAGING_BYTES) {
  const buffers: number[] = [];
  const places = byteLengths.map((byteLength) => {
    const used = buffers.at(-1);
    if (used === undefined || (used > 0 && used + byteLength > maximumBytes)) buffers.push(0);
    const buffer = buffers.length - 1;
    const byteOffset = buffers[buffer];
    buffers[buffer] = align(byteOffset + byteLength);
    return { buffer, byteOffset };
  });
  return { buffers, places };
}

/**
 * Records and submits the copies now, so that the bytes include the effects of earlier commands, but not of later
 * commands. Call it outside passes.
 * @returns the bytes of each copy, once the GPU has written them; rejects with RhiError `readback-failed`
 */
export async function stage(
  copies: readonly StagedCopy[],
  { device, list, resources }: SnapshotBackend,
): Promise<Uint8Array<ArrayBuffer>[]> {
  if (copies.length === 0) return [];
  const { buffers: sizes, places } = planStaging(copies.map(({ byteLength }) => byteLength));
  const buffers = sizes.map((size) =>
    resources.memory.createBuffer(
      { label: 'capture', size, usage: BufferUsage.mapRead | BufferUsage.copyTarget },
      'captures',
    ),
  );
  copies.forEach((copy, index) => {
    const { buffer, byteOffset } = places[index];
    copy.encode(list.current, buffers[buffer], byteOffset);
  });
  // The copies are submitted at once, because later writes take the fast path through the queue only while the list is
  // empty.
  list.submit();
  try {
    const work = new GpuWork(device);
    await Promise.all(buffers.map((buffer) => work.wait(buffer.mapAsync(MAP_READ))));
    return copies.map((copy, index) => {
      const { buffer, byteOffset } = places[index];
      return copy.unpack(new Uint8Array(buffers[buffer].getMappedRange(byteOffset, copy.byteLength)));
    });
  } catch (cause) {
    throw new RhiError(
      'readback-failed',
      `The contents of the GPU's resources could not be read for a capture: ${messageOf(cause)} Capture a smaller scene, or capture before the device is lost.`,
      { cause },
    );
  } finally {
    for (const buffer of buffers) resources.memory.destroy(buffer);
  }
}

const align = (byteLength: number): number => Math.ceil(byteLength / ALIGNMENT) * ALIGNMENT;

/** A planned copy of the contents of live resources. */
export interface Snapshot {
  /** Number of bytes that the copy takes in staging buffers. */
  readonly byteLength: number;
  /** Copies the contents. All copies have been submitted when this function returns its promise. */
  read(): Promise<CapturedContent[]>;
}

/**
 * Plans a copy of the contents of live resources: the bytes of buffers, and the texels of single-sampled textures,
 * level by level. The plan leaves out textures that frames always draw again (multisampled, stencil, depth that no
 * shader reads). It also leaves out 24-bit depth, the viewport, mappable buffers and failed resources.
 */
export function planSnapshot(backend: SnapshotBackend): Snapshot {
  const { buffers, textures } = backend.resources;
  const planned: { readonly handle: number; readonly mipLevel: number; readonly copy: StagedCopy }[] = [];
  for (const { handle, gpu, byteLength, usage } of buffers.values()) {
    // Copies and writes work on whole words.
    const copied = Math.floor(byteLength / 4) * 4;
    if (!gpu || copied === 0 || (usage & MAPPED) !== 0) continue;
    planned.push({ handle, mipLevel: 0, copy: bufferCopy(gpu, copied) });
  }
  for (const { handle, gpu: texture, isViewport } of textures.values()) {
    for (let mipLevel = 0; texture && !isViewport; mipLevel++) {
      const layout = capturedLayout(texture, mipLevel);
      if (layout === null) break;
      planned.push({ handle, mipLevel, copy: textureCopy({ texture, mipLevel }, layout) });
    }
  }
  return {
    byteLength: planned.reduce((sum, { copy }) => sum + copy.byteLength, 0),
    read: async () => {
      const contents = await stage(
        planned.map(({ copy }) => copy),
        backend,
      );
      return planned.map(({ handle, mipLevel }, index) => ({ handle, mipLevel, bytes: contents[index] }));
    },
  };
}

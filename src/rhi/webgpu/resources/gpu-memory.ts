/**
 * Creates and destroys an executor's buffers and textures, and counts their bytes by purpose (SYSTEMS M8). An object's
 * bytes are included until the GPU object is destroyed, also while it is in a release queue or pool.
 *
 *   buffer    the CPU maps it to write ─► uploads, to read ─► staging, or captures for a capture's read-backs
 *             vertices or indices ─► geometry       others ─► buffers
 *   texture   render attachment without `copyTarget` ─► renderTargets                others ─► textures
 *
 * A texture's bytes are the bytes of its texels in all levels, layers and samples. Padding is not included, because
 * WebGPU does not report it.
 */
import { BufferUsage, TextureUsage } from '../../commands/descriptors.js';
import { textureByteLength } from '../../commands/texel-levels.js';

/** Purposes of GPU memory. */
export const GPU_MEMORY = [
  'geometry',
  'buffers',
  'textures',
  'renderTargets',
  'uploads',
  'staging',
  'captures',
] as const;

type GpuMemoryKind = (typeof GPU_MEMORY)[number];

interface Counted {
  readonly kind: GpuMemoryKind;
  readonly byteLength: number;
}

const nothing = (): Record<GpuMemoryKind, number> =>
  Object.fromEntries(GPU_MEMORY.map((kind) => [kind, 0])) as Record<GpuMemoryKind, number>;

export class GpuMemory {
  /** Current bytes, by purpose. */
  readonly bytes = nothing();
  /** Largest bytes so far, by purpose. */
  readonly peaks = nothing();
  /** Bytes of all purposes: current, and the largest so far. */
  totalBytes = 0;
  peakBytes = 0;
  readonly #device: GPUDevice;
  readonly #counted = new WeakMap<object, Counted>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** @param kind default: the kind that follows from the buffer's usage */
  createBuffer(descriptor: GPUBufferDescriptor, kind = kindOf(descriptor.usage)): GPUBuffer {
    const buffer = this.#device.createBuffer(descriptor);
    this.#add(buffer, kind, descriptor.size);
    return buffer;
  }

  /** @param kind default: the kind that follows from the texture's usage */
  createTexture(descriptor: GPUTextureDescriptor, kind?: GpuMemoryKind): GPUTexture {
    const texture = this.#device.createTexture(descriptor);
    const isTarget =
      (descriptor.usage & (TextureUsage.renderAttachment | TextureUsage.copyTarget)) ===
      TextureUsage.renderAttachment;
    const [width = 1, height = 1, depthOrArrayLayers = 1] = descriptor.size as readonly number[];
    const byteLength = textureByteLength({ ...descriptor, width, height, depthOrArrayLayers });
    this.#add(texture, kind ?? (isTarget ? 'renderTargets' : 'textures'), byteLength);
    return texture;
  }

  /** Destroys an object, and stops counting it. */
  destroy(object: GPUBuffer | GPUTexture): void {
    object.destroy();
    this.forget(object);
  }

  /** Stops counting an object that was destroyed elsewhere, or that the GPU has refused. */
  forget(object: object): void {
    const counted = this.#counted.get(object);
    if (counted === undefined) return;
    this.#counted.delete(object);
    this.bytes[counted.kind] -= counted.byteLength;
    this.totalBytes -= counted.byteLength;
  }

  #add(object: object, kind: GpuMemoryKind, byteLength: number): void {
    this.#counted.set(object, { kind, byteLength });
    const { bytes, peaks } = this;
    bytes[kind] += byteLength;
    peaks[kind] = Math.max(peaks[kind], bytes[kind]);
    this.totalBytes += byteLength;
    this.peakBytes = Math.max(this.peakBytes, this.totalBytes);
  }
}

function kindOf(usage: number): GpuMemoryKind {
  if ((usage & BufferUsage.mapWrite) !== 0) return 'uploads';
  if ((usage & BufferUsage.mapRead) !== 0) return 'staging';
  return (usage & (BufferUsage.vertex | BufferUsage.index)) !== 0 ? 'geometry' : 'buffers';
}

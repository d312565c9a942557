/**
 * Creates and destroys an executor's buffers and textures, and counts their bytes by purpose (SYSTEMS M8). Bytes
 * count until the GPU object is destroyed, so resources in a release queue or pool are included.
 *
 *   buffer    mapped by the CPU ─► staging     vertices or indices ─► geometry       others ─► buffers
 *   texture   render attachment without `copyTarget` ─► renderTargets                others ─► textures
 *
 * The bytes of a texture are those of its texels in all levels, layers and samples. WebGPU reports no padding.
 */
import { BufferUsage, TextureUsage } from '../../commands/descriptors.js';
import { textureByteLength } from '../../commands/texel-levels.js';

/** Current bytes, by purpose. */
interface GpuMemoryBytes {
  geometry: number;
  buffers: number;
  textures: number;
  renderTargets: number;
  staging: number;
}

interface Counted {
  readonly kind: keyof GpuMemoryBytes;
  readonly byteLength: number;
}

const MAPPED = BufferUsage.mapRead | BufferUsage.mapWrite;

export class GpuMemory {
  readonly bytes: GpuMemoryBytes = { geometry: 0, buffers: 0, textures: 0, renderTargets: 0, staging: 0 };
  /** Largest total of all purposes so far, in bytes. */
  peakBytes = 0;
  readonly #device: GPUDevice;
  readonly #counted = new WeakMap<object, Counted>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  createBuffer(descriptor: GPUBufferDescriptor): GPUBuffer {
    const buffer = this.#device.createBuffer(descriptor);
    const { usage, size } = descriptor;
    const isGeometry = (usage & (BufferUsage.vertex | BufferUsage.index)) !== 0;
    this.#add(buffer, (usage & MAPPED) !== 0 ? 'staging' : isGeometry ? 'geometry' : 'buffers', size);
    return buffer;
  }

  createTexture(descriptor: GPUTextureDescriptor): GPUTexture {
    const texture = this.#device.createTexture(descriptor);
    const isTarget =
      (descriptor.usage & (TextureUsage.renderAttachment | TextureUsage.copyTarget)) ===
      TextureUsage.renderAttachment;
    const [width = 1, height = 1, depthOrArrayLayers = 1] = descriptor.size as readonly number[];
    const byteLength = textureByteLength({ ...descriptor, width, height, depthOrArrayLayers });
    this.#add(texture, isTarget ? 'renderTargets' : 'textures', byteLength);
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
  }

  #add(object: object, kind: keyof GpuMemoryBytes, byteLength: number): void {
    this.#counted.set(object, { kind, byteLength });
    const { bytes } = this;
    bytes[kind] += byteLength;
    const total = bytes.geometry + bytes.buffers + bytes.textures + bytes.renderTargets + bytes.staging;
    this.peakBytes = Math.max(this.peakBytes, total);
  }
}

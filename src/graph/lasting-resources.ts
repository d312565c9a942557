import {
  type BufferHandle,
  BufferUsage,
  type TextureHandle,
  TextureUsage,
} from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { LastingBufferDescriptor, LastingTextureDescriptor } from './graph-pass.js';

/**
 * Usages of every lasting buffer. They include all ways of use, because a pass may use it differently in a
 * later frame.
 */
const BUFFER_USAGE =
  BufferUsage.uniform |
  BufferUsage.storage |
  BufferUsage.vertex |
  BufferUsage.index |
  BufferUsage.indirect |
  BufferUsage.copySource |
  BufferUsage.copyTarget;
/** Usages of every lasting texture. */
const TEXTURE_USAGE = TextureUsage.textureBinding | TextureUsage.renderAttachment;
/** Further usages of textures with one sample; multisampled textures can't be copied. */
const COPY_USAGE = TextureUsage.copySource | TextureUsage.copyTarget;

interface Lasting<Descriptor, Handle> {
  readonly descriptor: Descriptor;
  readonly handle: Handle;
}

/**
 * A pass's buffers and textures that outlive the frame, by name. Its methods may record commands, so call
 * them inside a frame and outside render and compute passes.
 */
export class LastingResources {
  readonly #buffers = new Map<string, Lasting<LastingBufferDescriptor, BufferHandle>>();
  readonly #textures = new Map<string, Lasting<LastingTextureDescriptor, TextureHandle>>();
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  buffer(descriptor: LastingBufferDescriptor): BufferHandle {
    const rhi = this.#rhi;
    const { name, byteLength, data } = descriptor;
    const known = this.#buffers.get(name);
    if (known?.descriptor.byteLength === byteLength) return known.handle;
    rhi.destroy(known?.handle);
    const handle = rhi.createBuffer({ label: name, byteLength, usage: BUFFER_USAGE });
    this.#buffers.set(name, { descriptor: { name, byteLength }, handle });
    if (data) rhi.writeBuffer(handle, 0, data);
    return handle;
  }

  texture(descriptor: LastingTextureDescriptor): TextureHandle {
    const rhi = this.#rhi;
    const { name, width, height, format, sampleCount = 1, mipLevelCount = 1, layers = 1 } = descriptor;
    const known = this.#textures.get(name);
    if (known && isAlike(known.descriptor, descriptor)) return known.handle;
    rhi.destroy(known?.handle);
    const usage =
      TEXTURE_USAGE |
      (sampleCount === 1 ? COPY_USAGE : 0) |
      (descriptor.isStorage ? TextureUsage.storageBinding : 0);
    const size = { width, height, depthOrArrayLayers: layers };
    const handle = rhi.createTexture({ label: name, ...size, format, sampleCount, mipLevelCount, usage });
    this.#textures.set(name, { descriptor: { ...descriptor }, handle });
    return handle;
  }
}

function isAlike(first: LastingTextureDescriptor, second: LastingTextureDescriptor): boolean {
  return (
    first.width === second.width &&
    first.height === second.height &&
    first.format === second.format &&
    (first.layers ?? 1) === (second.layers ?? 1) &&
    (first.sampleCount ?? 1) === (second.sampleCount ?? 1) &&
    (first.mipLevelCount ?? 1) === (second.mipLevelCount ?? 1) &&
    (first.isStorage ?? false) === (second.isStorage ?? false)
  );
}

import {
  type BufferHandle,
  BufferUsage,
  type ResourceHandle,
  type TextureHandle,
  TextureUsage,
} from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { LastingSource } from './frame-graph.js';
import type { LastingBufferDescriptor, LastingTextureDescriptor } from './graph-pass.js';

/**
 * Usages of every lasting buffer. All usages are included, because a pass may use the buffer differently in a later
 * frame.
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

/**
 * A pass's buffers and textures that outlive the frame, by name. Set-up only describes them. The first frame whose
 * passes use a resource asks for its handle, which creates the resource. So the resources of a pass that is left out
 * cost nothing (SYSTEMS X2).
 */
export class LastingResources {
  readonly #buffers = new Map<string, LastingBuffer>();
  readonly #textures = new Map<string, LastingTexture>();
  readonly #rhi: ImmediateContext;
  readonly #create: (action: () => void) => void;

  /** @param create runs the creation of a resource; default: at once */
  constructor(rhi: ImmediateContext, create: (action: () => void) => void = (action) => action()) {
    this.#rhi = rhi;
    this.#create = create;
  }

  buffer(descriptor: LastingBufferDescriptor): LastingSource {
    const known = this.#buffers.get(descriptor.name) ?? new LastingBuffer(this.#rhi, this.#create);
    known.wanted = descriptor;
    this.#buffers.set(descriptor.name, known);
    return known;
  }

  texture(descriptor: LastingTextureDescriptor): LastingSource {
    const known = this.#textures.get(descriptor.name) ?? new LastingTexture(this.#rhi, this.#create);
    known.wanted = descriptor;
    this.#textures.set(descriptor.name, known);
    return known;
  }
}

/** A lasting resource. If its description has changed, the next frame that uses it creates it anew. */
abstract class Lasting<Descriptor, Handle extends ResourceHandle> implements LastingSource {
  /** Description in the current frame. */
  wanted!: Descriptor;
  protected readonly rhi: ImmediateContext;
  readonly #run: (action: () => void) => void;
  #made: Descriptor | undefined;
  #handle: Handle | undefined;

  constructor(rhi: ImmediateContext, run: (action: () => void) => void) {
    this.rhi = rhi;
    this.#run = run;
  }

  handle(): number {
    const { wanted } = this;
    if (this.#made === undefined || !this.isAlike(this.#made, wanted)) {
      this.#run(() => {
        this.rhi.destroy(this.#handle);
        // Cleared before the creation, which may throw. Otherwise the next frame would destroy the old handle again.
        this.#handle = this.#made = undefined;
        this.#handle = this.create(wanted);
        this.#made = this.remembered(wanted);
      });
    }
    return (this.#handle ?? 0) as number;
  }

  protected abstract isAlike(made: Descriptor, wanted: Descriptor): boolean;
  /** Returns a descriptor with the members that `isAlike` compares, so that initial data is not kept in memory. */
  protected abstract remembered(made: Descriptor): Descriptor;
  protected abstract create(descriptor: Descriptor): Handle;
}

class LastingBuffer extends Lasting<LastingBufferDescriptor, BufferHandle> {
  protected override isAlike(made: LastingBufferDescriptor, wanted: LastingBufferDescriptor): boolean {
    return made.byteLength === wanted.byteLength;
  }

  protected override remembered({ name, byteLength }: LastingBufferDescriptor): LastingBufferDescriptor {
    return { name, byteLength };
  }

  protected override create({ name, byteLength, data }: LastingBufferDescriptor): BufferHandle {
    const handle = this.rhi.createBuffer({ label: name, byteLength, usage: BUFFER_USAGE });
    if (data) this.rhi.writeBuffer(handle, 0, data);
    return handle;
  }
}

class LastingTexture extends Lasting<LastingTextureDescriptor, TextureHandle> {
  protected override isAlike(made: LastingTextureDescriptor, wanted: LastingTextureDescriptor): boolean {
    return isAlike(made, wanted);
  }

  protected override remembered(made: LastingTextureDescriptor): LastingTextureDescriptor {
    return { ...made };
  }

  protected override create(descriptor: LastingTextureDescriptor): TextureHandle {
    const { name, width, height, format, sampleCount = 1, mipLevelCount = 1, layers = 1 } = descriptor;
    const usage =
      TEXTURE_USAGE |
      (sampleCount === 1 ? COPY_USAGE : 0) |
      (descriptor.isStorage ? TextureUsage.storageBinding : 0);
    const size = { width, height, depthOrArrayLayers: layers };
    return this.rhi.createTexture({ label: name, ...size, format, sampleCount, mipLevelCount, usage });
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

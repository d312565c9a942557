import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import { destroyNow } from '../rhi/mapping/assume-not-in-use.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { Allocation } from './compile.js';
import { isAlike, type ShapeResource } from './graph-shape.js';

/**
 * Number of frames after which an unused resource is destroyed. At most 8 frames are in flight, so by then the GPU has
 * completed every command list that uses the resource.
 */
const MAXIMUM_AGE = 30;

interface Pooled {
  readonly handle: TextureHandle | BufferHandle;
  readonly like: ShapeResource;
  readonly usage: number;
  /** Frame in which the resource was returned; undefined while it is in use. */
  freeSince: number | undefined;
}

export interface PoolStats {
  /** Number of textures and buffers, used and unused. */
  readonly count: number;
  readonly bytes: number;
  readonly unusedBytes: number;
  /** Textures and buffers that this pool has created so far. */
  readonly created: number;
  /** Textures and buffers that this pool has destroyed so far. */
  readonly destroyed: number;
}

/**
 * Textures and buffers that plans of a frame graph take and return. A plan gets its previous resource if that resource
 * is free. Otherwise it gets a free resource with the same description and the needed usages: the one created first. If
 * there is no such resource, it gets a new one. Equal frames therefore get equal handles. A resource that has been free
 * for 30 frames is destroyed, and its memory is freed at once (SYSTEMS M3).
 *
 *   frame   1        2        3   …   32
 *   A       taken    back     ·       destroyed
 *   B       taken    back     taken   in use
 */
export class TransientPool {
  readonly #rhi: ImmediateContext;
  readonly #pooled: Pooled[] = [];
  #created = 0;
  #destroyed = 0;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  get stats(): PoolStats {
    const sum = (list: readonly Pooled[]): number =>
      list.reduce((bytes, { like }) => bytes + like.byteLength, 0);
    return {
      count: this.#pooled.length,
      bytes: sum(this.#pooled),
      unusedBytes: sum(this.#pooled.filter(({ freeSince }) => freeSince !== undefined)),
      created: this.#created,
      destroyed: this.#destroyed,
    };
  }

  /** Returns a free resource or a new one. @param before the resource that the plan had, which is preferred if free */
  take({ like, usage }: Allocation, before?: TextureHandle | BufferHandle): TextureHandle | BufferHandle {
    const isFree = ({ freeSince }: Pooled): boolean => freeSince !== undefined;
    const free =
      this.#pooled.find((pooled) => pooled.handle === before && isFree(pooled)) ??
      this.#pooled.find(
        (pooled) => isFree(pooled) && (pooled.usage & usage) === usage && isAlike(pooled.like, like),
      );
    if (free) {
      free.freeSince = undefined;
      return free.handle;
    }
    const handle = this.#create(like, usage);
    this.#pooled.push({ handle, like, usage, freeSince: undefined });
    this.#created++;
    return handle;
  }

  giveBack(handle: TextureHandle | BufferHandle, frame: number): void {
    const pooled = this.#pooled.find((each) => each.handle === handle);
    if (pooled) pooled.freeSince = frame;
  }

  /** Destroys resources that have been unused for too long. Called at the end of each frame. */
  age(frame: number): void {
    for (let index = this.#pooled.length - 1; index >= 0; index--) {
      const { freeSince } = this.#pooled[index] as Pooled;
      if (freeSince !== undefined && frame - freeSince >= MAXIMUM_AGE)
        destroyNow(this.#rhi, this.#remove(index));
    }
  }

  /** Destroys all resources that are not in use. */
  purge(): void {
    for (let index = this.#pooled.length - 1; index >= 0; index--) {
      if (this.#pooled[index]?.freeSince !== undefined) this.#rhi.destroy(this.#remove(index));
    }
  }

  /** Destroys all resources. */
  dispose(): void {
    while (this.#pooled.length > 0) this.#rhi.destroy(this.#remove(this.#pooled.length - 1));
  }

  /** Removes a resource. @returns its handle */
  #remove(index: number): TextureHandle | BufferHandle {
    const { handle } = this.#pooled[index] as Pooled;
    this.#pooled.splice(index, 1);
    this.#destroyed++;
    return handle;
  }

  #create({ name, byteLength, texture }: ShapeResource, usage: number): TextureHandle | BufferHandle {
    if (texture === undefined) return this.#rhi.createBuffer({ label: name, byteLength, usage });
    const { width, height, layers, format, sampleCount, mipLevelCount } = texture;
    return this.#rhi.createTexture({
      label: name,
      width,
      height,
      depthOrArrayLayers: layers,
      format,
      sampleCount,
      mipLevelCount,
      usage,
    });
  }
}

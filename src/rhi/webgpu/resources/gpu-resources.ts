/**
 * The resources in the executor's tables, with their WebGPU objects, and views of textures.
 *
 *   handle ─► ResourceTable ─► GpuResource ─┬─ gpu: the object; null while it is pending, and after a failure
 *                                           └─ creation: the record that created it
 */
import type { TextureViewDescriptor } from '../../commands/descriptors.js';
import type { Resource } from '../../execute/resource-table.js';
import type { MayBeStale } from './stale-contents.js';

/** A resource with its WebGPU object. */
export interface GpuResource<T> extends Resource {
  /** The object; null while it is pending, and after a failure. */
  gpu: T | null;
  /** Index of the creation record in the `RecordArena`; −1 for the viewport's texture and for draw bundles. */
  creation: number;
  /**
   * Resources that a pipeline or bind group is made of. They may be destroyed before the pipeline or group, but a
   * capture needs their records to create it again.
   */
  readonly madeOf?: readonly GpuResource<unknown>[];
  /** For a draw bundle: header and fields of a record that creates the bundle. */
  readonly record?: Uint32Array;
}
export interface BufferResource extends GpuResource<GPUBuffer>, MayBeStale {
  readonly byteLength: number;
  readonly usage: number;
}
export interface TextureResource extends GpuResource<GPUTexture>, MayBeStale {
  /** Views by `viewKey`. */
  readonly views: Map<string, GPUTextureView>;
  /** Whether this is the surface's texture, which the viewport owns. */
  readonly isViewport: boolean;
}
export interface LayoutResource extends GpuResource<GPUBindGroupLayout> {
  /** Whether the layout has no entries, so that draws need no bind group for it. */
  readonly isEmpty: boolean;
}
export interface PipelineResource<P> extends GpuResource<P> {
  /** Whether the pipeline could not be created. `gpu` is then the object of its fallback, if it has one. */
  isFailed: boolean;
  /** Resolves when `gpu` no longer changes. */
  settled: Promise<void>;
  /** Bit i is set if a draw needs bind group i. */
  readonly groupMask: number;
  /** Bit i is set if a draw needs vertex buffer i. */
  readonly vertexMask: number;
}
export interface BindGroupResource extends GpuResource<GPUBindGroup> {
  /** Whether a buffer of the group was renamed. The object is then created again when the group is next set. */
  isOutdated: boolean;
}

/** Returns a key that is equal for equal views of one texture. */
export const viewKey = (view: TextureViewDescriptor): string =>
  `${view.format}|${view.dimension}|${view.aspect}|${view.baseMipLevel}|${view.mipLevelCount}|${view.baseArrayLayer}|${view.arrayLayerCount}`;

/** Returns the view of a texture, and creates it at the first use. @param key the view's `viewKey` */
export function viewOf(resource: TextureResource, view: TextureViewDescriptor, key: string): GPUTextureView {
  let gpuView = resource.views.get(key);
  if (gpuView === undefined) {
    // WebGPU ignores unknown fields, so the view's descriptor is passed as it is.
    gpuView = (resource.gpu as GPUTexture).createView(view as GPUTextureViewDescriptor);
    resource.views.set(key, gpuView);
  }
  return gpuView;
}

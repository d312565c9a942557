/**
 * Resources with their WebGPU objects, as the tables hold them, and views of textures.
 *
 *   handle ─► ResourceTable ─► GpuResource ─┬─ gpu: the object; null while pending, and after a failure
 *                                           └─ creation: the record to create it again
 */
import type { TextureViewDescriptor } from '../../commands/descriptors.js';
import type { Resource } from '../../execute/resource-table.js';
import type { MayBeStale } from './stale-contents.js';

/** A resource with its WebGPU object; null while pending and after a failure. */
export interface GpuResource<T> extends Resource {
  gpu: T | null;
  /** Place of its creation record, for `Resources.creationOf`; −1 for the viewport's texture and for draw bundles. */
  creation: number;
  /**
   * Resources that the record of a pipeline or bind group names. The pipeline or group outlives them, and their records
   * are needed to create it again.
   */
  readonly madeOf?: readonly GpuResource<unknown>[];
  /** Draw bundles: header and fields of the record that creates it. */
  readonly record?: Uint32Array;
}
export interface BufferResource extends GpuResource<GPUBuffer>, MayBeStale {
  readonly byteLength: number;
  readonly usage: number;
}
export interface TextureResource extends GpuResource<GPUTexture>, MayBeStale {
  /** Views by `viewKey`. */
  readonly views: Map<string, GPUTextureView>;
  /** Whether it is the surface's texture, which the viewport owns. */
  readonly isViewport: boolean;
}
export interface LayoutResource extends GpuResource<GPUBindGroupLayout> {
  readonly isEmpty: boolean;
}
export interface PipelineResource<P> extends GpuResource<P> {
  isFailed: boolean;
  /** Bit i is set if a draw needs bind group i. */
  readonly groupMask: number;
  /** Bit i is set if a draw needs vertex buffer i. */
  readonly vertexMask: number;
}
export interface BindGroupResource extends GpuResource<GPUBindGroup> {
  /** Whether a buffer in it was renamed, so that it is made again when it is next set (`renaming.ts`). */
  isOutdated: boolean;
}

/** Returns the name of a view within its texture. */
export const viewKey = (view: TextureViewDescriptor): string =>
  `${view.format}|${view.dimension}|${view.aspect}|${view.baseMipLevel}|${view.mipLevelCount}|${view.baseArrayLayer}|${view.arrayLayerCount}`;

export function viewOf(resource: TextureResource, view: TextureViewDescriptor, key: string): GPUTextureView {
  let gpuView = resource.views.get(key);
  if (gpuView === undefined) {
    // WebGPU ignores unknown fields, so the view's descriptor is passed as it is.
    gpuView = (resource.gpu as GPUTexture).createView(view as GPUTextureViewDescriptor);
    resource.views.set(key, gpuView);
  }
  return gpuView;
}

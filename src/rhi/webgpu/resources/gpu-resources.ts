/**
 * Resources with their WebGPU objects, as the tables have them, and views of textures.
 *
 *   handle ─► ResourceTable ─► GpuResource ─┬─ gpu: the object; null while it is pending, and once it has failed
 *                                           └─ creation: the record that says how to create it again
 */
import type { TextureViewDescriptor } from '../../commands/descriptors.js';
import type { Resource } from '../../execute/resource-table.js';
import type { MayBeStale } from './stale-contents.js';

/** A resource with its WebGPU object; null while pending and after failing. */
export interface GpuResource<T> extends Resource {
  gpu: T | null;
  /** Where `Resources.creationOf` finds the record that created it; −1: it is the viewport's, or a draw bundle's. */
  creation: number;
  /**
   * Resources that the record of a pipeline or bind group names. The pipeline or group lives on when they are destroyed, and
   * creating it again needs their records, too.
   */
  readonly madeOf?: readonly GpuResource<unknown>[];
  /** Of a draw bundle: header and fields of the record that creates it. */
  readonly record?: Uint32Array;
}
export interface BufferResource extends GpuResource<GPUBuffer>, MayBeStale {
  readonly byteLength: number;
  readonly usage: number;
}
export interface TextureResource extends GpuResource<GPUTexture>, MayBeStale {
  /** By `viewKey`. */
  readonly views: Map<string, GPUTextureView>;
  /** True for the surface's texture, which the viewport owns. */
  readonly isViewport: boolean;
}
export interface LayoutResource extends GpuResource<GPUBindGroupLayout> {
  readonly isEmpty: boolean;
}
export interface PipelineResource<P> extends GpuResource<P> {
  isFailed: boolean;
  /** Bit i: bind group i must be set for a draw. */
  readonly groupMask: number;
  /** Bit i: vertex buffer i must be set for a draw. */
  readonly vertexMask: number;
}
export interface BindGroupResource extends GpuResource<GPUBindGroup> {
  /** A buffer in it was renamed: it is made again when it is set next (`renaming.ts`). */
  isOutdated: boolean;
}

/** Names a view within its texture. */
export const viewKey = (view: TextureViewDescriptor): string =>
  `${view.format}|${view.dimension}|${view.aspect}|${view.baseMipLevel}|${view.mipLevelCount}|${view.baseArrayLayer}|${view.arrayLayerCount}`;

export function viewOf(resource: TextureResource, view: TextureViewDescriptor, key: string): GPUTextureView {
  let gpuView = resource.views.get(key);
  if (gpuView === undefined) {
    // WebGPU reads only the fields it knows, so the view's own description serves as it is.
    gpuView = (resource.gpu as GPUTexture).createView(view as GPUTextureViewDescriptor);
    resource.views.set(key, gpuView);
  }
  return gpuView;
}

/** Translates descriptors of bind groups to WebGPU's descriptors, in which objects replace the handles. */
import type { BindGroupDescriptor } from '../../commands/descriptors.js';
import type { ResourceTable } from '../../execute/resource-table.js';
import { type GpuResource, viewKey, viewOf } from './gpu-resources.js';
import type { Resources } from './resources.js';

/**
 * Returns WebGPU's descriptor; null if one of the resources has failed. That failure was reported.
 * @param madeOf resources of an existing group. Its layout and samplers may have been destroyed since
 * @throws RhiError `stale-handle`
 */
export function describeBindGroup(
  resources: Resources,
  { label, layout, entries }: BindGroupDescriptor,
  madeOf: readonly GpuResource<unknown>[] = [],
): GPUBindGroupDescriptor | null {
  const gpuLayout = partOf(madeOf, layout, resources.layouts).gpu;
  if (gpuLayout === null) return null;
  const gpuEntries: GPUBindGroupEntry[] = [];
  for (const entry of entries) {
    const resource = boundResource(resources, entry, madeOf);
    if (resource === null) return null;
    gpuEntries.push({ binding: entry.binding, resource });
  }
  return { label, layout: gpuLayout, entries: gpuEntries };
}

function boundResource(
  resources: Resources,
  entry: BindGroupDescriptor['entries'][number],
  madeOf: readonly GpuResource<unknown>[],
): GPUBindingResource | null {
  if ('buffer' in entry) {
    const buffer = resources.buffers.get(entry.buffer).gpu;
    return buffer && { buffer, offset: entry.byteOffset, size: entry.byteLength };
  }
  if ('sampler' in entry) return partOf(madeOf, entry.sampler, resources.samplers).gpu;
  const texture = resources.textures.get(entry.view.texture);
  return texture.gpu === null ? null : viewOf(texture, entry.view, viewKey(entry.view));
}

/** Returns the resource of a handle, also if it was destroyed but an existing group is made of it. */
function partOf<R extends GpuResource<unknown>>(
  madeOf: readonly GpuResource<unknown>[],
  handle: number,
  table: ResourceTable<R>,
): R {
  return (madeOf.find((part) => part.handle === handle) as R | undefined) ?? table.get(handle);
}

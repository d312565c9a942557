/** Translates descriptors of bind groups for WebGPU: WebGPU's objects replace handles. */
import type { BindGroupDescriptor } from '../../commands/descriptors.js';
import { viewKey, viewOf } from './gpu-resources.js';
import type { Resources } from './resources.js';

/**
 * Returns WebGPU's descriptor; null if a named resource has failed, which was reported.
 * @throws RhiError `stale-handle`
 */
export function describeBindGroup(
  resources: Resources,
  { label, layout, entries }: BindGroupDescriptor,
): GPUBindGroupDescriptor | null {
  const gpuLayout = resources.layouts.get(layout).gpu;
  if (gpuLayout === null) return null;
  const gpuEntries: GPUBindGroupEntry[] = [];
  for (const entry of entries) {
    const resource = boundResource(resources, entry);
    if (resource === null) return null;
    gpuEntries.push({ binding: entry.binding, resource });
  }
  return { label, layout: gpuLayout, entries: gpuEntries };
}

function boundResource(
  resources: Resources,
  entry: BindGroupDescriptor['entries'][number],
): GPUBindingResource | null {
  if ('buffer' in entry) {
    const buffer = resources.buffers.get(entry.buffer).gpu;
    return buffer && { buffer, offset: entry.byteOffset, size: entry.byteLength };
  }
  if ('sampler' in entry) return resources.samplers.get(entry.sampler).gpu;
  const texture = resources.textures.get(entry.view.texture);
  return texture.gpu === null ? null : viewOf(texture, entry.view, viewKey(entry.view));
}

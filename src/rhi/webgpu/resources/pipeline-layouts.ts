/**
 * A cache of pipeline layouts. Pipelines with the same bind group layouts share one, so that bind groups stay set when
 * the pipeline changes.
 *
 *   "12,7"   handles of bind group layouts, in order ─► GPUPipelineLayout, until the first of them is destroyed
 */
import type { Resources } from './resources.js';

/** @returns null if one of the bind group layouts has failed @throws RhiError `stale-handle` */
export function pipelineLayoutOf(
  resources: Resources,
  device: GPUDevice,
  handles: readonly number[],
): GPUPipelineLayout | null {
  const key = handles.join();
  const known = resources.pipelineLayouts.get(key);
  if (known !== undefined) return known;
  const bindGroupLayouts = handles.map((handle) => resources.layouts.get(handle).gpu);
  if (bindGroupLayouts.includes(null)) return null;
  const layout = device.createPipelineLayout({ bindGroupLayouts });
  resources.pipelineLayouts.set(key, layout);
  return layout;
}

/** Returns a mask with bit i set if bind group i is not empty, so that draws need it. */
export function groupMaskOf(resources: Resources, handles: readonly number[]): number {
  let mask = 0;
  handles.forEach((layout, group) => {
    if (resources.layouts.find(layout)?.isEmpty === false) mask |= 1 << group;
  });
  return mask;
}

/** Drops the pipeline layouts of a bind group layout. @param handle handle of the destroyed bind group layout */
export function forgetLayout(resources: Resources, handle: string): void {
  for (const key of resources.pipelineLayouts.keys()) {
    if (key.split(',').includes(handle)) resources.pipelineLayouts.delete(key);
  }
}

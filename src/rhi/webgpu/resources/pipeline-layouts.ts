/**
 * A cache of pipeline layouts. Pipelines with the same bind group layouts share one pipeline layout, so that bind
 * groups stay set when the pipeline changes.
 *
 *   "12,7"   handles of bind group layouts, in order ─► GPUPipelineLayout, until one of these layouts is destroyed
 */
import type { Resources } from './resources.js';

/** Returns a pipeline layout; null if one of its bind group layouts has failed. @throws RhiError `stale-handle` */
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

/** Returns the mask of bind groups that draws need: bit i is set if the layout of group i has entries. */
export function groupMaskOf(resources: Resources, handles: readonly number[]): number {
  let mask = 0;
  handles.forEach((layout, group) => {
    if (resources.layouts.find(layout)?.isEmpty === false) mask |= 1 << group;
  });
  return mask;
}

/** Drops all pipeline layouts with a destroyed bind group layout. @param handle handle of that bind group layout */
export function forgetLayout(resources: Resources, handle: string): void {
  for (const key of resources.pipelineLayouts.keys()) {
    if (key.split(',').includes(handle)) resources.pipelineLayouts.delete(key);
  }
}

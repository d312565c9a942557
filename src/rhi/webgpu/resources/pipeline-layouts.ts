/**
 * Pipeline layouts: pipelines of the same bind group layouts have the same one, so that bind groups stay set from one to the next.
 *
 *   "12,7"   handles of bind group layouts, in order ─► GPUPipelineLayout, until the first of them is destroyed
 */
import type { Resources } from './resources.js';

/** @returns null where one of the bind group layouts has failed @throws RhiError `stale-handle` */
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

/** Bit i: bind group i has something in it, and must be set for a draw. */
export function groupMaskOf(resources: Resources, handles: readonly number[]): number {
  let mask = 0;
  handles.forEach((layout, group) => {
    if (resources.layouts.find(layout)?.isEmpty === false) mask |= 1 << group;
  });
  return mask;
}

/** @param handle of a bind group layout that is destroyed */
export function forgetLayout(resources: Resources, handle: string): void {
  for (const key of resources.pipelineLayouts.keys()) {
    if (key.split(',').includes(handle)) resources.pipelineLayouts.delete(key);
  }
}

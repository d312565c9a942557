import type { ViewPicture } from './view-picture.js';

/**
 * Counts per view, as one block of integers that is sent across threads. The first slot is for the active
 * camera's view. The slots of other views follow, by the view's id.
 *
 *   slot 0 active camera   slot 1 view 0   slot 2 view 1 …
 *   │ is drawn │ visible │ draw calls │ instances │ is drawn │ …
 */
export const FIGURES_PER_VIEW = 4;
/** Maximum number of slots. Views without a slot are not reported. */
export const MOST_SLOTS = 1024;

/** Writes the counts of a view. Called per recorded command list. */
export function writeFigures(
  block: Uint32Array,
  slot: number,
  { state: { meshes }, isDrawn }: ViewPicture,
): void {
  if (slot >= MOST_SLOTS) return;
  const at = slot * FIGURES_PER_VIEW;
  block[at] = Number(isDrawn);
  block[at + 1] = isDrawn ? meshes.visible : 0;
  block[at + 2] = isDrawn ? meshes.drawCalls : 0;
  block[at + 3] = isDrawn ? meshes.instanceCount : 0;
}

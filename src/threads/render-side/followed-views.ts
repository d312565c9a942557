import { FIGURES_PER_VIEW, MOST_SLOTS } from '../../render/picture/view-figures.js';
import type { Renderer } from '../../render/renderer.js';

/** Destination of the counts per view: memory shared with the page, or a port to the page. */
interface Follower {
  readonly block: Uint32Array;
  readonly port: MessagePort | null;
  /** The counts that were posted last. */
  posted: Uint32Array;
}

const followers = new WeakMap<Renderer, Follower>();

/**
 * Makes the renderer publish counts per view with each command list, once a view has been added. See
 * `render/picture/view-figures.ts`.
 */
export function followViews(
  renderer: Renderer,
  shared: SharedArrayBuffer | null,
  port: MessagePort | null,
): void {
  const block = new Uint32Array(shared ?? new ArrayBuffer(MOST_SLOTS * FIGURES_PER_VIEW * 4));
  followers.set(renderer, { block, port, posted: new Uint32Array(0) });
}

/** Writes the counts, and posts changed counts if memory is not shared. Called per list and world with added views. */
export function publishViewCounts(renderer: Renderer): void {
  const follower = followers.get(renderer);
  const { views } = renderer.features;
  if (!follower || !views) return;
  const { block, port, posted } = follower;
  const length = views.writeFigures(block) * FIGURES_PER_VIEW;
  if (port === null) return;
  let isSame = posted.length === length;
  for (let index = 0; isSame && index < length; index++) isSame = posted[index] === block[index];
  if (isSame) return;
  follower.posted = block.slice(0, length);
  port.postMessage(follower.posted);
}

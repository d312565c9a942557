/** The part for views besides the active camera's, loaded with the first of them. */
import type { Renderer } from '../../render/renderer.js';
import { AddedViews } from '../../render/views/added-views.js';
import { FIGURES_PER_VIEW, MOST_SLOTS } from '../../render/views/view-figures.js';
import type { ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from '../control/thread-api.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

/** Where counts per view go: memory that the page shares, or else its port. */
interface Follower {
  readonly block: Uint32Array;
  readonly port: MessagePort | null;
  /** What the port was told last. */
  told: Uint32Array;
}

const followers = new WeakMap<Renderer, Follower>();

export function createRenderPart({ renderer, world }: RenderPartHost): RenderPart {
  // One for all worlds: the views of several share the surface.
  renderer.features.views ??= new AddedViews(renderer);
  const { views } = renderer.features;
  return {
    execute: (reader) => views.execute(reader, world),
    endList: () => {
      const follower = followers.get(renderer);
      if (follower) tell(follower, views);
    },
  };
}

export function createCalls({ render }: ThreadSides): Pick<ThreadApi, 'followViews'> {
  return {
    async followViews(shared, port) {
      const block = new Uint32Array(shared ?? new ArrayBuffer(MOST_SLOTS * FIGURES_PER_VIEW * 4));
      if (render) followers.set(render.renderer, { block, port, told: new Uint32Array(0) });
    },
  };
}

/** Per list. Where memory is not shared, only what has changed is posted. */
function tell(follower: Follower, views: AddedViews): void {
  const { block, port, told } = follower;
  const length = views.writeFigures(block) * FIGURES_PER_VIEW;
  if (port === null) return;
  let isSame = told.length === length;
  for (let index = 0; isSame && index < length; index++) isSame = told[index] === block[index];
  if (isSame) return;
  follower.told = block.slice(0, length);
  port.postMessage(follower.told);
}

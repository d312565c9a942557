import type { ResourceHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** So many handles are kept before those that were destroyed meanwhile are forgotten. */
const MOST_KEPT = 64;

/** What somebody has created between `begin` and `end`, so that it can be destroyed where they leave it behind. */
export class OwnedHandles {
  readonly #rhi: ImmediateContext;
  #handles: number[] = [];
  #most = MOST_KEPT;
  readonly #add = (handle: number): void => {
    if (this.#handles.length >= this.#most) this.#forgetDestroyed();
    this.#handles.push(handle);
  };

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  begin(): void {
    this.#rhi.handles.onAllocated = this.#add;
  }

  end(): void {
    this.#rhi.handles.onAllocated = undefined;
  }

  /** In a frame, outside passes. */
  destroyAll(): void {
    this.#forgetDestroyed();
    for (const handle of this.#handles) this.#rhi.destroy(handle as ResourceHandle);
    this.#handles = [];
  }

  #forgetDestroyed(): void {
    const { handles } = this.#rhi;
    this.#handles = this.#handles.filter((handle) => handles.isLive(handle));
    this.#most = Math.max(MOST_KEPT, this.#handles.length * 2);
  }
}

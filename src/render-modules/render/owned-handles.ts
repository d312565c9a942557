import type { ResourceHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** Minimum length of the list at which destroyed handles are removed from it. */
const MOST_KEPT = 64;

/**
 * Tracks the handles created between `begin` and `end`, so that the remaining ones can be destroyed with their owner.
 */
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

  /** Destroys the remaining handles. Called in a frame, outside passes. */
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

/**
 * Entries that frame N frees and that command bytes name (an offset, a slot) may be used again in frame
 * N + `maxFramesInFlight` + 2, whatever the GPU's speed: so the same commands give the same bytes on every run
 * (DESIGN section 2). Entries are handed back in the order they were freed.
 *
 *   frame   7        8        9        10       11
 *           free ──────────── delay = 4 ──────► usable
 */
export class FrameDelayed<T> {
  readonly #entries: { readonly frame: number; readonly item: T }[] = [];

  readonly #delayFrames: number;

  constructor(delayFrames: number) {
    this.#delayFrames = delayFrames;
  }

  free(item: T, frame: number): void {
    this.#entries.push({ frame: frame + this.#delayFrames, item });
  }

  /**
   * Hands over everything at once, between two frames that are the same on every run: behind a flush, which the game has
   * asked for.
   */
  releaseAll(use: (item: T) => void): void {
    for (const { item } of this.#entries.splice(0)) use(item);
  }

  /** Hands over everything whose time has come. */
  release(frame: number, use: (item: T) => void): void {
    while (this.#entries.length > 0) {
      const first = this.#entries[0];
      if (first === undefined || first.frame > frame) return;
      this.#entries.shift();
      use(first.item);
    }
  }
}

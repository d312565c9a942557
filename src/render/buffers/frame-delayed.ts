/**
 * Delays the reuse of entries that command bytes name, such as offsets or slots. An entry freed in frame N
 * may be used again in frame N + `maxFramesInFlight` + 2, however fast the GPU is. So the same commands give
 * the same bytes on every run. Entries are returned in the order in which they were freed.
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
   * Releases all entries at once. This is safe only at a point that is the same on every run: after a flush
   * that the game has requested.
   */
  releaseAll(use: (item: T) => void): void {
    for (const { item } of this.#entries.splice(0)) use(item);
  }

  /** Releases all entries whose delay has passed. */
  release(frame: number, use: (item: T) => void): void {
    while (this.#entries.length > 0) {
      const first = this.#entries[0];
      if (first === undefined || first.frame > frame) return;
      this.#entries.shift();
      use(first.item);
    }
  }
}

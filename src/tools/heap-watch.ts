/** Chromium's `performance.memory`. */
interface HeapFigures {
  readonly usedJSHeapSize: number;
}

/** Least drop that counts as a collection, in bytes. Smaller drops are rounding. */
const LEAST_BYTES = 100_000;

/**
 * Detects garbage collections where the browser allows it. No event reports a collection, but the heap is smaller
 * afterwards. The watch reads the heap at every animation frame, only between `start` and `stop`. Only Chromium has
 * `performance.memory`. Chromium rounds the figure and updates it a few times per second, so small collections stay
 * unnoticed. The reported span reaches from the last reading before the drop to the reading that shows it.
 */
export class HeapWatch {
  readonly #onCollection: (began: number, ended: number, bytes: number) => void;
  #request = 0;
  #bytes = 0;
  #lookedAt = 0;

  /** @param onCollection receives times of `performance.now()` and the freed bytes, a lower bound */
  constructor(onCollection: (began: number, ended: number, bytes: number) => void) {
    this.#onCollection = onCollection;
  }

  start(): void {
    if (this.#request !== 0 || usedBytes() === undefined || !globalThis.requestAnimationFrame) return;
    this.#bytes = 0;
    this.#look();
  }

  stop(): void {
    if (this.#request !== 0) cancelAnimationFrame(this.#request);
    this.#request = 0;
  }

  readonly #look = (): void => {
    const bytes = usedBytes() ?? 0;
    const now = performance.now();
    const freed = this.#bytes - bytes;
    if (freed >= LEAST_BYTES) this.#onCollection(this.#lookedAt, now, freed);
    this.#bytes = bytes;
    this.#lookedAt = now;
    this.#request = requestAnimationFrame(this.#look);
  };
}

function usedBytes(): number | undefined {
  return (performance as Performance & { readonly memory?: HeapFigures }).memory?.usedJSHeapSize;
}

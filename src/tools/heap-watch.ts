/** Chromium's `performance.memory`. */
interface HeapFigures {
  readonly usedJSHeapSize: number;
}

/** A smaller drop is rounding, not a collection. */
const LEAST_BYTES = 100_000;

/**
 * Sees collections of garbage where a browser lets it: no event tells of one, but the heap is smaller afterwards. Looks
 * at every animation frame while somebody wants to know, and at no other time. Chromium alone has `performance.memory`;
 * it rounds the figure and renews it some times a second, so small collections stay unseen and the span is that of the
 * two looks between which one happened.
 */
export class HeapWatch {
  readonly #onCollection: (began: number, ended: number, bytes: number) => void;
  #request = 0;
  #bytes = 0;
  #lookedAt = 0;

  /** @param onCollection with times of `performance.now()` and the bytes that were freed, at least */
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

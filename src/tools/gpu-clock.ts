/** Lists whose bounds are kept. */
const LISTS = 64;

interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Puts times of the GPU's clock on the threads' clock. The two have nothing in common but what happened: the GPU can't
 * have begun a list before it was submitted, nor ended it after its completion was heard.
 *
 *   CPU    submit ──────────────────────────► completed heard
 *   GPU            begin ═════════ end
 *   offset  ≥ submit − begin                 ≤ completed − end
 *
 * Every list narrows the range. The lower end is taken, which is exact where the GPU began at once. It is kept for the
 * last lists only, because the clocks drift apart (50 ppm are 3 ms a minute).
 */
export class GpuClock {
  readonly #bounds: Bounds[] = [];
  #next = 0;

  /**
   * What a list tells, in milliseconds: `submitted` and `completed` of the threads' clock, `begin` and `end` of the GPU's.
   * @returns what is to be added to times of the GPU now
   */
  add(submitted: number, completed: number, begin: number, end: number): number {
    this.#bounds[this.#next++ % LISTS] = { lower: submitted - begin, upper: completed - end };
    let lower = Number.NEGATIVE_INFINITY;
    let upper = Number.POSITIVE_INFINITY;
    for (const bounds of this.#bounds) {
      lower = Math.max(lower, bounds.lower);
      upper = Math.min(upper, bounds.upper);
    }
    // Rounded clocks may contradict each other by a little: then nobody is right, and the middle is nearest.
    return lower <= upper ? lower : (lower + upper) / 2;
  }
}

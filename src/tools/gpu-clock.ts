/** Number of lists whose bounds are kept. */
const LISTS = 64;

interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Computes the offset from the GPU's clock to the threads' clock. Only the order of events relates the two clocks. The
 * GPU can't begin a list before its submission, and can't end it after its completion was observed.
 *
 *   CPU    submit ──────────────────────────► completion observed
 *   GPU            begin ═════════ end
 *   offset  ≥ submit − begin                 ≤ completed − end
 *
 * Every list narrows the range of the offset. The lower bound is used; it is exact if the GPU began a list at once.
 * Only the bounds of the last lists are kept, because the clocks drift apart (50 ppm are 3 ms per minute).
 */
export class GpuClock {
  readonly #bounds: Bounds[] = [];
  #next = 0;

  /**
   * Adds the times of a list, in milliseconds: `submitted` and `completed` of the threads' clock, `begin` and `end` of
   * the GPU's clock.
   *
   * @returns the current offset, to be added to times of the GPU
   */
  add(submitted: number, completed: number, begin: number, end: number): number {
    this.#bounds[this.#next++ % LISTS] = { lower: submitted - begin, upper: completed - end };
    let lower = Number.NEGATIVE_INFINITY;
    let upper = Number.POSITIVE_INFINITY;
    for (const bounds of this.#bounds) {
      lower = Math.max(lower, bounds.lower);
      upper = Math.min(upper, bounds.upper);
    }
    // Rounded clocks may contradict each other slightly. The middle is the best estimate then.
    return lower <= upper ? lower : (lower + upper) / 2;
  }
}

/**
 * How often it is tried to find a pass as it was: one that keeps changing is left alone for longer and longer, so that a
 * different visible set every frame costs next to nothing.
 *
 *   failures   1    2    3    4    5    6    6 …
 *   wait       2    4    8   16   32   64   64      lists; what has no use for it at all waits the longest at once
 */

/** So many count: no wait is longer than 2 to the power of this, in lists. */
const MOST_FAILURES = 6;
/** Lists for which a pass that can't be kept, or isn't worth it, is left alone. */
export const LONGEST_WAIT = 2 ** MOST_FAILURES;

/** Of the n-th render pass of a list. */
export class PassAttempts {
  /** Lists to leave the pass alone. */
  wait = 0;
  /** Attempts in a row that came to nothing. */
  failures = 0;

  fail(): void {
    this.failures = Math.min(this.failures + 1, MOST_FAILURES);
    this.wait = 2 ** this.failures;
  }
}

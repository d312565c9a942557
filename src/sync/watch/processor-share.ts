/**
 * Measures the share of a processor that a thread gets now: the part of a short loop's time in which the loop really
 * ran. The loop reads the clock all the time. A jump of the clock shows that the thread was suspended.
 *
 *   idle machine        ▮▮▮▮▮▮▮▮▮▮▮▮  6 of 6 ms     share 1
 *   two busy loops      ▮▮▮····▮▮▮··  6 of 12 ms    share 0.5
 *
 * The share distinguishes a starved thread from a hung thread. Threads of one page compete for the same processors, so
 * each busy thread gets about the same share. Browsers have no clock of processor time.
 */

/** Running time to measure, in milliseconds: longer than a scheduler's slice, shorter than a frame. */
const RUN_MILLISECONDS = 6;

/** Longest duration of the loop, in milliseconds by the clock. */
const LONGEST_MILLISECONDS = 100;

/** Least share that counts as a whole processor: interrupts always take a little. */
const WHOLE = 0.8;

/** Number of times that a thread on a slow machine reads the clock per millisecond of running. */
const FEWEST_LOOKS = 100;

/** Number of readings without a change after which a clock counts as stopped (as in tests), or as too coarse. */
const MOST_LOOKS = 100_000;

/** Measures the share of a processor that this thread gets now. @returns above 0, at most 1 */
export function measureProcessorShare(now: () => number = () => performance.now()): number {
  const began = now();
  let before = began;
  let time = began;
  let ran = 0;
  let looks = 0;
  /** Largest number of readings of the clock so far per millisecond of running. */
  let rate = FEWEST_LOOKS;
  while (ran < RUN_MILLISECONDS && time - began < LONGEST_MILLISECONDS) {
    time = now();
    looks++;
    const passed = time - before;
    if (passed <= 0) {
      if (looks > MOST_LOOKS) return 1;
      continue;
    }
    // Measure the rate only in long steps. A step is long if it takes about a millisecond, as with a coarse clock, or
    // if it has many readings.
    if (passed > 0.9 || looks > FEWEST_LOOKS) rate = Math.max(rate, looks / passed);
    // Steps up to a millisecond count fully. In a longer step with few readings the thread was suspended.
    ran += passed <= 1 ? passed : Math.min(passed, looks / rate);
    before = time;
    looks = 0;
  }
  const share = ran / (time - began);
  return share >= WHOLE ? 1 : share;
}

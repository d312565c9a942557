/**
 * How much of a processor a thread gets now: the share of a short loop's time in which it really ran. A loop that reads
 * the clock all the time sees where it was put aside, because the clock jumps there.
 *
 *   idle machine        ▮▮▮▮▮▮▮▮▮▮▮▮  6 of 6 ms     share 1
 *   two busy loops      ▮▮▮····▮▮▮··  6 of 12 ms    share 0.5
 *
 * It tells a starved thread from a hung one: threads of one page compete for the same processors, so one that has work
 * to do gets about as much as this one. There is no clock of processor time in a browser.
 */

/** Time to run for, in milliseconds: longer than a scheduler's slice, shorter than a frame. */
const RUN_MILLISECONDS = 6;

/** The loop ends here at the latest, in milliseconds by the clock. */
const LONGEST_MILLISECONDS = 100;

/** Shares from here on count as a whole processor: interrupts take a little of any. */
const WHOLE = 0.8;

/** Looks at the clock that a thread takes in a millisecond of running, on a slow machine. */
const FEWEST_LOOKS = 100;

/** So many looks in vain: the clock stands still, as in tests that move it, or its steps are too long to tell anything. */
const MOST_LOOKS = 100_000;

/** @returns above 0, up to 1 */
export function measureProcessorShare(now: () => number = () => performance.now()): number {
  const began = now();
  let before = began;
  let time = began;
  let ran = 0;
  let looks = 0;
  /** Looks in a millisecond of running: the most that were seen. */
  let rate = FEWEST_LOOKS;
  while (ran < RUN_MILLISECONDS && time - began < LONGEST_MILLISECONDS) {
    time = now();
    looks++;
    const passed = time - before;
    if (passed <= 0) {
      if (looks > MOST_LOOKS) return 1;
      continue;
    }
    // Steps of a clock that is rounded to a millisecond are long enough to count looks in.
    if (passed > 0.9 || looks > FEWEST_LOOKS) rate = Math.max(rate, looks / passed);
    // Up to a millisecond passes between two looks anyway. A longer jump with few looks: the thread was put aside.
    ran += passed <= 1 ? passed : Math.min(passed, looks / rate);
    before = time;
    looks = 0;
  }
  const share = ran / (time - began);
  return share >= WHOLE ? 1 : share;
}

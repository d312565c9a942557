import { OptionError } from '../core/errors.js';
import { checkNumber, checkOptions } from './options.js';
import type { TickCallback, TickGroups } from './tick-groups.js';

export interface FixedTickOptions {
  /** Steps per second, from 1 to 1000. Default 60. */
  readonly hertz?: number;
  /** The most steps in one frame; after a longer pause the rest is left out, and simulated time goes on from there. Default 5. */
  readonly maximumSteps?: number;
}

/**
 * Steps of equal length, as many as a frame's time holds: what is simulated does not depend on how often it is drawn.
 *
 *   frames  │        │    │              │        1/60 s each: ■
 *   steps   ■ ■        ■     ■ ■ ■         ■
 *
 * @param callback gets the seconds of a step, and those of all steps so far
 * @returns a function that ends it
 * @throws OptionError
 */
export function addFixedTick(
  ticks: TickGroups,
  callback: TickCallback,
  options: FixedTickOptions,
): () => void {
  const call = 'onFixedTick';
  if (typeof callback !== 'function')
    throw new OptionError('option-invalid', 'onFixedTick takes a function.');
  checkOptions(call, options, 'hertz maximumSteps');
  const hertz = checkNumber(call, 'hertz', options.hertz ?? 60, 1, 1000);
  const maximumSteps = Math.floor(checkNumber(call, 'maximumSteps', options.maximumSteps ?? 5, 1));
  let seconds = 0;
  let steps = 0;
  let isEnded = false;
  const end = ticks.add((deltaSeconds) => {
    seconds += deltaSeconds;
    // Sums of frames that make a whole step must not fall short of it by rounding.
    const due = Math.floor(seconds * hertz + 1e-6);
    const last = Math.min(due, steps + maximumSteps);
    seconds -= (due - last) / hertz;
    // Counted before it is called: one that throws is not called again for the same step.
    while (steps < last && !isEnded) {
      steps++;
      callback(1 / hertz, steps / hertz);
    }
  }, 'physics');
  return () => {
    isEnded = true;
    end();
  };
}

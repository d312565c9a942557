import { OptionError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, countFrom, numberFrom, optional } from '../../core/options/members.js';
import type { Interpolation } from './interpolation.js';
import type { TickCallback, TickGroups } from './tick-groups.js';

const OPTIONS = {
  /** Steps per second, from 1 to 1000. Default 60. */
  hertz: byDefault(numberFrom(1, 1000), 60),
  /** The most steps in one frame, a whole number from 1 on; after a longer pause the rest is left out, and simulated time goes on from there. Default 5. */
  maximumSteps: byDefault(countFrom(1, 2 ** 30), 5),
  /** What is shown between its last two steps: `interpolation([actor, instances])`. Default: everything as the last step left it. */
  interpolate: optional(anything<Interpolation>()),
};

export type FixedTickOptions = Shaped<typeof OPTIONS>;

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
  const { interpolate, hertz, maximumSteps } = fillOptions(call, options, OPTIONS);
  const step = interpolate ? interpolate.around?.(callback) : callback;
  if (typeof step !== 'function')
    throw new OptionError(
      'option-invalid',
      `${call} takes a function; its interpolate has to be interpolation().`,
    );
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
      step(1 / hertz, steps / hertz);
    }
    interpolate?.show(isEnded ? 1 : seconds * hertz - last);
  }, 'physics');
  return () => {
    isEnded = true;
    interpolate?.show(1);
    end();
  };
}

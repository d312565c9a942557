import { OptionError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, countFrom, numberFrom, optional } from '../../core/options/members.js';
import type { Interpolation } from './interpolation.js';
import type { TickCallback, TickGroups } from './tick-groups.js';

const OPTIONS = {
  /** Steps per second, from 1 to 1000. Default 60. */
  hertz: byDefault(numberFrom(1, 1000), 60),
  /**
   * Maximum number of steps in one frame, a whole number from 1. After a longer pause the remaining steps are
   * skipped, and simulated time continues from there. Default 5.
   */
  maximumSteps: byDefault(countFrom(1, 2 ** 30), 5),
  /**
   * Objects to show between their last two steps: `interpolation([actor, instances])`. Default: all objects
   * are shown as the last step left them.
   */
  interpolate: optional(anything<Interpolation>()),
};

export type FixedTickOptions = Shaped<typeof OPTIONS>;

/**
 * Runs steps of equal length, as many as fit into a frame's time. A simulation in such steps does not depend on the
 * frame rate.
 *
 *   frames  │        │    │              │        1/60 s each: ■
 *   steps   ■ ■        ■     ■ ■ ■         ■
 *
 * @param callback receives the seconds of a step, and the seconds of all steps so far
 * @returns a function that ends the steps
 * @throws OptionError
 */
export function addFixedTick(
  ticks: TickGroups,
  callback: TickCallback,
  options: FixedTickOptions,
): () => void {
  const call = 'onFixedTick';
  const { interpolate, hertz, maximumSteps } = fillOptions(call, options, OPTIONS);
  const step = interpolate ? interpolate.wrapStep?.(callback) : callback;
  if (typeof step !== 'function')
    throw new OptionError(
      'option-invalid',
      `${call} takes a function. Its option interpolate takes the result of interpolation().`,
    );
  let seconds = 0;
  let steps = 0;
  let isEnded = false;
  const end = ticks.add((deltaSeconds) => {
    seconds += deltaSeconds;
    // Rounding must not make the sum of several frames fall short of a whole step.
    const due = Math.floor(seconds * hertz + 1e-6);
    const last = Math.min(due, steps + maximumSteps);
    seconds -= (due - last) / hertz;
    // Counted before the call, so that a step that throws is not repeated.
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

/** The public form of the engine's fences, and the options of `engine.fences`. */
import { checkOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { boolean, optional } from '../../core/options/members.js';
import type { Fences } from '../../sync/fences/fences.js';
import type { MonitoredFence } from '../../sync/fences/monitored-fence.js';

const OPTIONS = {
  /**
   * Whether notifications of the GPU's signals name the GPU's queue. The queue's log then names the fences (SYSTEMS
   * F11). The first call of `engine.fences` decides. Default false: notifications name the fences.
   */
  namesQueues: optional(boolean()),
};

export type EngineFencesOptions = Shaped<typeof OPTIONS>;

/** The group of fences that the page shares with its render modules, the GPU and workers. */
export interface EngineFences extends Fences {
  /**
   * Counts the progress of the GPU's queue (SYSTEMS F7). The value is the number of the last frame that the GPU has
   * completed, as in `stats().frame`. Only the queue raises it. It keeps counting when threads or device change.
   */
  readonly queueProgress: MonitoredFence;
}

/** @throws OptionError `option-unknown`, `option-invalid` */
export function checkFencesOptions(options: EngineFencesOptions): void {
  checkOptions('fences', options, OPTIONS);
}

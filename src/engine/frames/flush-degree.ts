import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { boolean, oneOf, optional } from '../../core/options/members.js';

/**
 * The degrees of a flush (SYSTEMS R6, R16). Each degree applies to everything that the game has sent, and includes the
 * degrees before it.
 *
 *   game ══ render commands ══► render thread ══ RHI commands ══► RHI thread ──► GPU ──► release queue
 *                                     ▲ dispatched                    ▲ executed  ▲ completed  ▲ released
 */
const FLUSH_DEGREES = ['dispatched', 'executed', 'completed', 'released'] as const;

/**
 * The degree of a flush. `dispatched`: the render thread has recorded the work and handed it to the RHI thread.
 * `executed`: the RHI thread has submitted it to the GPU's queue. `completed`: the GPU has finished it. `released`:
 * destroyed resources that are no longer in use are freed.
 */
export type FlushDegree = (typeof FLUSH_DEGREES)[number];

const FLUSH_OPTIONS = {
  /** Degree of the flush. Default `'released'`. It can't be combined with `gpu` or `deferredDeletes`. */
  until: optional(oneOf(FLUSH_DEGREES)),
  /** Whether to wait until the GPU has completed the work. Default true. */
  gpu: optional(boolean()),
  /** Whether to carry out pending deletes, which free the resources that the GPU no longer uses. Default true. */
  deferredDeletes: optional(boolean()),
};

export type FlushOptions = Shaped<typeof FLUSH_OPTIONS>;

/**
 * Returns the stages that a flush waits for after the render thread.
 * @throws OptionError `option-unknown`, `option-invalid`
 */
export function flushDegree(options: FlushOptions): {
  readonly isExecuted: boolean;
  readonly isCompleted: boolean;
  readonly isReleased: boolean;
} {
  checkOptions('flush', options, FLUSH_OPTIONS);
  const { until, gpu, deferredDeletes } = options;
  if (until === undefined)
    return { isExecuted: true, isCompleted: gpu ?? true, isReleased: deferredDeletes ?? true };
  if (gpu !== undefined || deferredDeletes !== undefined) {
    throw new OptionError(
      'option-invalid',
      `flush was given "until" together with ${gpu === undefined ? '"deferredDeletes"' : '"gpu"'}. Both set the degree of the flush. Pass only one of them.`,
    );
  }
  const degree = FLUSH_DEGREES.indexOf(until);
  return { isExecuted: degree >= 1, isCompleted: degree >= 2, isReleased: degree >= 3 };
}

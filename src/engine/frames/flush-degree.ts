import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { boolean, oneOf, optional } from '../../core/options/members.js';

/**
 * How far a flush goes (SYSTEMS R6, R16): each degree holds for everything that the game has sent, and includes the ones
 * before it.
 *
 *   game ══ render commands ══► render thread ══ RHI commands ══► RHI thread ──► GPU ──► release queue
 *                                     ▲ dispatched                    ▲ executed  ▲ completed  ▲ released
 */
const FLUSH_DEGREES = ['dispatched', 'executed', 'completed', 'released'] as const;

/**
 * `dispatched`: recorded by the render thread, and handed to the RHI thread. `executed`: submitted to the GPU's queue by
 * the RHI thread. `completed`: the GPU has finished. `released`: what was destroyed, and is used by nothing any more, is
 * freed.
 */
export type FlushDegree = (typeof FLUSH_DEGREES)[number];

const FLUSH_OPTIONS = {
  /** How far the flush goes, by name. Default `'released'`; not together with the other two. */
  until: optional(oneOf(FLUSH_DEGREES)),
  /** Wait for the GPU to complete it, too. Default true. */
  gpu: optional(boolean()),
  /** Carry out pending deletes as well: release what the GPU no longer uses. Default true. */
  deferredDeletes: optional(boolean()),
};

export type FlushOptions = Shaped<typeof FLUSH_OPTIONS>;

/** What a flush waits for, beside the render thread. @throws OptionError `option-unknown`, `option-invalid` */
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
      `flush was given "until" together with ${gpu === undefined ? '"deferredDeletes"' : '"gpu"'}: both say how far it goes. Give one.`,
    );
  }
  const degree = FLUSH_DEGREES.indexOf(until);
  return { isExecuted: degree >= 1, isCompleted: degree >= 2, isReleased: degree >= 3 };
}

import { OptionError } from '../../core/errors.js';
import { checkBoolean, checkChoice, checkOptions } from '../../game/checks/options.js';

/**
 * How far a flush goes (SYSTEMS R6, R16): each degree holds for everything that the game has sent, and includes the ones
 * before it.
 *
 *   game ══ render commands ══► render thread ══ RHI commands ══► RHI thread ──► GPU ──► release queue
 *                                     ▲ dispatched                    ▲ executed  ▲ completed  ▲ released
 */
export const FLUSH_DEGREES = ['dispatched', 'executed', 'completed', 'released'] as const;

/**
 * `dispatched`: recorded by the render thread, and handed to the RHI thread. `executed`: submitted to the GPU's queue by
 * the RHI thread. `completed`: the GPU has finished. `released`: what was destroyed, and is used by nothing any more, is
 * freed.
 */
export type FlushDegree = (typeof FLUSH_DEGREES)[number];

export interface FlushOptions {
  /** How far the flush goes, by name. Default `'released'`; not together with the other two. */
  readonly until?: FlushDegree;
  /** Wait for the GPU to complete it, too. Default true. */
  readonly gpu?: boolean;
  /** Carry out pending deletes as well: release what the GPU no longer uses. Default true. */
  readonly deferredDeletes?: boolean;
}

/** What a flush waits for, beside the render thread. @throws OptionError `option-unknown`, `option-invalid` */
export function flushDegree(options: FlushOptions): {
  readonly isExecuted: boolean;
  readonly isCompleted: boolean;
  readonly isReleased: boolean;
} {
  checkOptions('flush', options, 'until gpu deferredDeletes');
  const { until, gpu, deferredDeletes } = options;
  for (const [name, value] of Object.entries({ gpu, deferredDeletes }))
    if (value !== undefined) checkBoolean('flush', name, value);
  if (until === undefined)
    return { isExecuted: true, isCompleted: gpu ?? true, isReleased: deferredDeletes ?? true };
  checkChoice('flush', 'until', until, FLUSH_DEGREES);
  if (gpu !== undefined || deferredDeletes !== undefined) {
    throw new OptionError(
      'option-invalid',
      `flush was given "until" together with ${gpu === undefined ? '"deferredDeletes"' : '"gpu"'}: both say how far it goes. Give one.`,
    );
  }
  const degree = FLUSH_DEGREES.indexOf(until);
  return { isExecuted: degree >= 1, isCompleted: degree >= 2, isReleased: degree >= 3 };
}

import type { Silence } from './watchdog.js';

interface SilenceEvidence {
  /** Details for an error. */
  readonly details: Readonly<Record<'verdict' | 'silentSeconds' | 'lateSeconds' | 'processorShare', string>>;
  /** Sentence for the error's message. */
  readonly sentence: string;
}

/**
 * Returns the verdict on a silent thread and its evidence. The verdict is `starved` if the thread could have
 * run for less than half of the elapsed time. Either the observer's timers were late, or threads got too
 * little processor time. Otherwise it is `hung`.
 */
export function evidenceOf({ counted, elapsed, late, processorShare }: Silence): SilenceEvidence {
  const verdict = elapsed > 2 * counted ? 'starved' : 'hung';
  const silentSeconds = (elapsed / 1000).toFixed(1);
  const lateSeconds = (late / 1000).toFixed(1);
  return {
    details: { verdict, silentSeconds, lateSeconds, processorShare: processorShare.toFixed(2) },
    sentence:
      verdict === 'hung'
        ? "It was ended from outside, or hangs in a loop or in the GPU's driver."
        : `It may be starved rather than hung: it was silent for ${silentSeconds} s by the clock, while threads of this page got ${Math.round(processorShare * 100)} % of a processor and timers were ${lateSeconds} s late. Run fewer programs on this machine.`,
  };
}

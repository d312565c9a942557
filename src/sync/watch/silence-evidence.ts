import type { Silence } from './watchdog.js';

/**
 * Says of a silent thread whether it is starved or hung, and by what that is told. A thread is starved where, by the clock,
 * more than twice the time has passed in which it could have run: the observer's own timers were late, or threads get less
 * than half a processor. On a machine with nothing else to do, a thread that does not answer hangs, or was ended.
 */
interface SilenceEvidence {
  /** For the details of an error. */
  readonly details: Readonly<Record<'verdict' | 'silentSeconds' | 'lateSeconds' | 'processorShare', string>>;
  /** For its message. */
  readonly sentence: string;
}

export function evidenceOf({ counted, elapsed, late, processorShare }: Silence): SilenceEvidence {
  const verdict = elapsed > 2 * counted ? 'starved' : 'hung';
  const silentSeconds = (elapsed / 1000).toFixed(1);
  const lateSeconds = (late / 1000).toFixed(1);
  return {
    details: { verdict, silentSeconds, lateSeconds, processorShare: processorShare.toFixed(2) },
    sentence:
      verdict === 'hung'
        ? "It was ended from outside, or hangs in a loop or in the GPU's driver."
        : `It may be starved rather than hung: that are ${silentSeconds} s by the clock, in which threads of this page got ${Math.round(processorShare * 100)} % of a processor, and its timers were ${lateSeconds} s late. Leave the machine more room.`,
  };
}

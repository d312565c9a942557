/**
 * Watches another thread for as long as something is expected of it. A slow thread is not dead: drawing a frame or
 * compiling a pipeline may take seconds. The criterion is whether the thread's event loop still runs. So the watch asks
 * a silent thread for a sign of life, and a thread that doesn't answer counts as dead.
 *
 *   observer   awaits frame 7 │ 1 s silent: asks │          10 s without an answer: dead
 *   thread A   ░░░ works ░░░░░░░░░░░░░░ answers │ ░░░       asked again after another second
 *   thread B   ░░░ ✕
 *
 * Only time in which the thread could have run counts (`Watchdog`). No time counts while `isVisible` returns false.
 * This file doesn't define how the question travels: `ask` sends it, and the receiver of an answer calls `heard`.
 */

import { ThreadError } from '../../core/errors.js';
import type { Clock } from '../deadline.js';
import { evidenceOf } from './silence-evidence.js';
import { type Silence, Watchdog } from './watchdog.js';

/** Observed silence after which the thread is asked, in milliseconds. */
const SILENCE_BEFORE_ASKING = 1000;

/** Default limit for the thread's answer, in milliseconds. */
const ANSWER_LIMIT = 10_000;

interface ThreadWatchOptions {
  /** The thread, as the beginning of a sentence: "The render worker". */
  readonly thread: string;
  /** The remedy for a dead thread, as a sentence: "Dispose of the engine." */
  readonly remedy: string;
  /** Returns what is expected of the thread now, as a noun ("frame 7"); `null` for nothing. */
  readonly awaited: () => string | null;
  /** Asks the thread for a sign of life. */
  readonly ask: () => void;
  /** Called once, after the watch has ended. */
  readonly onDead: (error: ThreadError) => void;
  /** Returns whether silence counts now. Default: it always counts. */
  readonly isVisible?: () => boolean;
  /** Observed silence after which the thread is asked, in milliseconds. Default 1000. */
  readonly silenceMilliseconds?: number;
  /** Observed time for an answer, in milliseconds. Default 10,000. */
  readonly limitMilliseconds?: number;
  /**
   * Observed time for the first sign of life, in milliseconds: the thread's script must be fetched first. Default:
   * `limitMilliseconds`.
   */
  readonly startLimitMilliseconds?: number;
  readonly clock?: Clock | undefined;
  /**
   * Returns the share of a processor that a thread gets now, 0 to 1. Default: 1. Called only while an answer is
   * pending.
   */
  readonly processorShare?: () => number;
}

export class ThreadWatch {
  readonly #watchdog: Watchdog;
  #wasHeard = false;
  #isAsked = false;

  constructor(options: ThreadWatchOptions) {
    const { awaited, ask, onDead, isVisible, limitMilliseconds = ANSWER_LIMIT, clock } = options;
    const { processorShare = () => 1 } = options;
    const { silenceMilliseconds = SILENCE_BEFORE_ASKING, startLimitMilliseconds = limitMilliseconds } =
      options;
    const limit = (): number => (this.#wasHeard ? limitMilliseconds : startLimitMilliseconds);
    this.#watchdog = new Watchdog({
      clock,
      processorShare: () => (this.#isAsked ? processorShare() : 1),
      tickMilliseconds: silenceMilliseconds,
      reportMilliseconds: silenceMilliseconds,
      get hangMilliseconds() {
        return silenceMilliseconds + limit();
      },
      isExpected: () => awaited() !== null && (isVisible?.() ?? true),
      onSilent: () => {
        this.#isAsked = true;
        ask();
      },
      onHang: (silence) => {
        this.stop();
        onDead(notAnswering(options, silence, awaited() ?? 'nothing', limit()));
      },
    });
  }

  /** Records a sign of life: an answer, or any other message of the thread. */
  heard(): void {
    this.#wasHeard = true;
    this.#isAsked = false;
    this.#watchdog.heard();
  }

  stop(): void {
    this.#watchdog.stop();
  }
}

function notAnswering(
  { thread, remedy }: ThreadWatchOptions,
  silence: Silence,
  awaited: string,
  milliseconds: number,
): ThreadError {
  const { sentence, details } = evidenceOf(silence);
  return new ThreadError(
    'thread-not-answering',
    `${thread} has not answered for ${milliseconds / 1000} s, and ${awaited} was expected of it. ${sentence} ${remedy}`,
    { details },
  );
}

import { ThreadError } from '../../core/errors.js';
import type { Clock } from '../deadline.js';
import { evidenceOf } from './silence-evidence.js';
import { type Silence, Watchdog } from './watchdog.js';

/**
 * Watches another thread for as long as something is expected of it. Slow is not dead: a frame may take seconds
 * to draw, a pipeline to compile. What counts is whether the thread's event loop still turns, so a silent thread
 * is asked, and dead is one that doesn't answer.
 *
 *   observer   awaits frame 7 │ 1 s silent: asks │          10 s without an answer: dead
 *   thread A   ░░░ works ░░░░░░░░░░░░░░ answers │ ░░░       asked again after another second
 *   thread B   ░░░ ✕
 *
 * Only time in which the thread could have run counts (`Watchdog`), and while the page is hidden none does.
 * Nothing here knows how the question travels: `ask` sends it, and whoever receives an answer calls `heard`.
 */

/** Observed silence after which the thread is asked, in milliseconds. */
const SILENCE_BEFORE_ASKING = 1000;

/** Default time a thread has for its answer, in milliseconds. */
const ANSWER_LIMIT = 10_000;

interface ThreadWatchOptions {
  /** Which thread, as the beginning of a sentence: "The render worker". */
  readonly thread: string;
  /** What to do when it is dead: "Dispose of the engine." */
  readonly remedy: string;
  /** What is expected of it now, as a noun ("frame 7"); null: nothing. */
  readonly awaited: () => string | null;
  /** Asks for a sign of life. */
  readonly ask: () => void;
  /** Called once; the watch has ended then. */
  readonly onDead: (error: ThreadError) => void;
  /** Whether silence counts now; left out, it always does. */
  readonly isVisible?: () => boolean;
  /** Observed silence after which it is asked, in milliseconds. Default 1 s. */
  readonly silenceMilliseconds?: number;
  /** Observed time for an answer, in milliseconds. Default 10 s. */
  readonly limitMilliseconds?: number;
  /** The same until it is heard for the first time: its script has to be fetched. Default: no other. */
  readonly startLimitMilliseconds?: number;
  readonly clock?: Clock | undefined;
  /** How much of a processor a thread gets now, 0 to 1; asked once the thread owes an answer. Default: a whole one. */
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

  /** A sign of life: an answer, or any other message of the thread. */
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

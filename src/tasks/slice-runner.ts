import { eventTurn } from '../core/events/event-turn.js';
import { type Clock, systemClock } from '../sync/deadline.js';

/** At most this long without a turn of the event loop, but for a call that takes longer itself. Milliseconds. */
export const SLICE = 8;

/**
 * Runs jobs on a thread that has other work: of the page where there are no workers (SYSTEMS T9), and of a named thread. It runs
 * them for a few milliseconds at a time, so that input and frames come in between.
 */
export class SliceRunner {
  readonly #clock: Clock;
  readonly #hasNext: () => boolean;
  readonly #doNext: () => Promise<void>;
  #isRunning = false;

  constructor(hasNext: () => boolean, doNext: () => Promise<void>, clock: Clock = systemClock) {
    this.#hasNext = hasNext;
    this.#doNext = doNext;
    this.#clock = clock;
  }

  /** There may be something to do. */
  wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    await eventTurn();
    let began = this.#clock.now();
    // Nothing comes between the last look and the mark that it has stopped: no wake-up is lost.
    while (this.#hasNext()) {
      await this.#doNext();
      if (this.#clock.now() - began < SLICE) continue;
      await eventTurn();
      began = this.#clock.now();
    }
    this.#isRunning = false;
  }
}

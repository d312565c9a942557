/**
 * Runs jobs on the page's thread, where there are no workers (SYSTEMS T9): a few milliseconds at a time, so that input and
 * frames come in between.
 */
import { eventTurn } from '../../core/events/event-turn.js';
import { type Clock, systemClock } from '../../sync/deadline.js';
import { SLICE } from './take-ranges.js';

export class PageRunner {
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

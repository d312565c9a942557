import { type Clock, systemClock } from './deadline.js';

/**
 * Watches a thread from another one (SYSTEMS R9, DESIGN §8). The watched thread's life signs arrive as calls to
 * `heard`; a silence is reported once after `reportMilliseconds`, and again as a hang after `hangMilliseconds`.
 *
 * Only time in which the observer itself ran counts: silence is added up at ticks of the observer's own, and
 * what passed between two of them counts for one tick at most (the observer was blocked, or the page hidden).
 *
 *   ticks     | · | · ♥ · | ·········blocked·········· | · | · |      ♥ a life sign: anew from here
 *   counted     1   –   ½              1                 1   1        × tickMilliseconds
 */
export interface WatchdogOptions {
  /** Length of a tick. Default 250. */
  readonly tickMilliseconds?: number;
  /** Silence that is reported. Default 1000. */
  readonly reportMilliseconds?: number;
  /** Silence that counts as a hang. Default 5000. */
  readonly hangMilliseconds?: number;
  readonly clock?: Clock;
  /** False while no life sign is due, such as when the page is hidden; then silence is forgotten. */
  readonly isExpected?: () => boolean;
  readonly onSilent: (milliseconds: number) => void;
  readonly onHang: (milliseconds: number) => void;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #tick: number;
  readonly #clock: Clock;
  #silence = 0;
  /** Up to when silence has been counted. */
  #countedTo: number;
  #timer: unknown;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#tick = options.tickMilliseconds ?? 250;
    this.#clock = options.clock ?? systemClock;
    this.#countedTo = this.#clock.now();
    this.#arm();
  }

  /** A life sign: silence starts anew. */
  heard(): void {
    this.#silence = 0;
    this.#countedTo = this.#clock.now();
  }

  stop(): void {
    this.#clock.clear(this.#timer);
  }

  #arm(): void {
    // A timer is a task of its own: messages queued while the observer was blocked are heard before a second one.
    this.#timer = this.#clock.set(() => this.#count(), this.#tick);
  }

  #count(): void {
    this.#arm();
    const {
      isExpected,
      onSilent,
      onHang,
      reportMilliseconds = 1000,
      hangMilliseconds = 5000,
    } = this.#options;
    const time = this.#clock.now();
    const passed = Math.min(time - this.#countedTo, this.#tick);
    this.#countedTo = time;
    if (isExpected && !isExpected()) {
      this.#silence = 0;
      return;
    }
    const before = this.#silence;
    const now = before + passed;
    this.#silence = now;
    if (before < reportMilliseconds && now >= reportMilliseconds) onSilent(now);
    if (before < hangMilliseconds && now >= hangMilliseconds) onHang(now);
  }
}

import { type Clock, systemClock } from '../deadline.js';

interface WatchdogOptions {
  /** Length of a tick. Default 250. */
  readonly tickMilliseconds?: number;
  /** Silence that is reported. Default 1000. */
  readonly reportMilliseconds?: number;
  /** Silence that counts as a hang. Default 5000. */
  readonly hangMilliseconds?: number;
  readonly clock?: Clock;
  /** False while no life sign is due, such as when the page is hidden; then silence is forgotten. */
  readonly isExpected?: () => boolean;
  /** How much of a processor a thread gets now, 0 to 1; asked at each tick that counts. Default: a whole one. */
  readonly processorShare?: () => number;
  readonly onSilent: (silence: Silence) => void;
  readonly onHang: (silence: Silence) => void;
}

/** A silence, and what tells whether the thread is starved or hung. Times are in milliseconds. */
export interface Silence {
  /** Time that counts: in which the thread could have run. */
  readonly counted: number;
  /** Time by the clock. */
  readonly elapsed: number;
  /** By how much the observer's own ticks were late, all of them together. */
  readonly late: number;
  /** The share of a processor that a thread got, on average over the ticks. */
  readonly processorShare: number;
}

/**
 * A tick counts for a tenth at least, so that a hung thread is found on any machine: after ten times the limit, and
 * what its ticks are late.
 */
const LEAST_SHARE = 0.1;

/**
 * Watches a thread from another one (SYSTEMS R9, DESIGN §8). The watched thread's life signs arrive as calls to
 * `heard`; a silence is reported once after `reportMilliseconds`, and again as a hang after `hangMilliseconds`.
 *
 * Only time in which the watched thread could have run counts. Silence is added up at ticks of the observer's own: what
 * passed between two of them counts for one tick at most (the observer was blocked, or the page hidden), and of a tick
 * only the share of a processor that a thread gets. On a starved machine both are small, so a starved thread has more
 * time by the clock than a hung one on an idle machine.
 *
 *   ticks     | · | · ♥ · | ·········blocked·········· | · | · |      ♥ a life sign: anew from here
 *   counted     1   –   ½              1                 1   ¼        × tickMilliseconds
 *   share       1       1              1                 1   ¼        of a processor
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #tick: number;
  readonly #clock: Clock;
  #counted = 0;
  /** The part of the silence that fell into ticks that were not late. */
  #observed = 0;
  #elapsed = 0;
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
    this.#forget();
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
      processorShare,
      onSilent,
      onHang,
      reportMilliseconds = 1000,
      hangMilliseconds = 5000,
    } = this.#options;
    const time = this.#clock.now();
    const elapsed = time - this.#countedTo;
    this.#countedTo = time;
    if (isExpected && !isExpected()) {
      this.#forget();
      return;
    }
    const passed = Math.min(elapsed, this.#tick);
    const before = this.#counted;
    const now = before + passed * Math.max(LEAST_SHARE, processorShare?.() ?? 1);
    this.#counted = now;
    this.#observed += passed;
    this.#elapsed += elapsed;
    if (before < reportMilliseconds && now >= reportMilliseconds) onSilent(this.#silence);
    if (before < hangMilliseconds && now >= hangMilliseconds) onHang(this.#silence);
  }

  #forget(): void {
    this.#counted = this.#observed = this.#elapsed = 0;
  }

  get #silence(): Silence {
    return {
      counted: this.#counted,
      elapsed: this.#elapsed,
      late: this.#elapsed - this.#observed,
      processorShare: this.#counted / this.#observed,
    };
  }
}

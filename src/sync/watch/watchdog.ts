import { type Clock, systemClock } from '../deadline.js';

interface WatchdogOptions {
  /** Interval of the observer's timer, called a tick. Default 250. */
  readonly tickMilliseconds?: number;
  /** Silence after which `onSilent` is called. Default 1000. */
  readonly reportMilliseconds?: number;
  /** Silence after which `onHang` is called. Default 5000. */
  readonly hangMilliseconds?: number;
  readonly clock?: Clock;
  /** Returns false while no life sign is due, such as while the page is hidden. Silence then restarts at 0. */
  readonly isExpected?: () => boolean;
  /** Returns the share of a processor that a thread gets now, 0 to 1; called at each tick that counts. Default: 1. */
  readonly processorShare?: () => number;
  readonly onSilent: (silence: Silence) => void;
  readonly onHang: (silence: Silence) => void;
}

/** A silence, with the measurements that distinguish a starved thread from a hung thread. Times are in milliseconds. */
export interface Silence {
  /** Time in which the thread could have run. */
  readonly counted: number;
  /** Time by the clock. */
  readonly elapsed: number;
  /** Total lateness of the observer's own ticks. */
  readonly late: number;
  /** The share of a processor that a thread got, on average over the ticks. */
  readonly processorShare: number;
}

/**
 * Smallest part of a tick that counts. With it, a hung thread is found on any machine, after at most ten times the
 * limit plus the lateness of the ticks.
 */
const LEAST_SHARE = 0.1;

/**
 * Watches another thread (SYSTEMS R9). The watched thread's life signs arrive as calls to `heard`. A silence is
 * reported once after `reportMilliseconds`, and again as a hang after `hangMilliseconds`.
 *
 * Only time in which the watched thread could have run counts. The observer adds up the silence at its own ticks. The
 * time between two ticks counts for one tick at most: the observer may have been blocked, or the page hidden. For each
 * tick, only the share of a processor that a thread gets counts. On a starved machine ticks are rare and the share is
 * small. So a starved thread gets more time by the clock than a hung thread on an idle machine.
 *
 *   ticks     | · | · ♥ · | ·········blocked·········· | · | · |      ♥ a life sign: the count restarts
 *   counted     1   –   ½              1                 1   ¼        × tickMilliseconds
 *   share       1       1              1                 1   ¼        of a processor
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #tick: number;
  readonly #clock: Clock;
  #counted = 0;
  /** Silence without the lateness of ticks: each tick counts for its length at most. */
  #observed = 0;
  #elapsed = 0;
  /** Time up to which silence has been counted. */
  #countedTo: number;
  #timer: unknown;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#tick = options.tickMilliseconds ?? 250;
    this.#clock = options.clock ?? systemClock;
    this.#countedTo = this.#clock.now();
    this.#arm();
  }

  /** Records a life sign: silence restarts at 0. */
  heard(): void {
    this.#forget();
    this.#countedTo = this.#clock.now();
  }

  stop(): void {
    this.#clock.clear(this.#timer);
  }

  #arm(): void {
    // A timer is a task of its own: messages queued while the observer was blocked arrive before a second tick.
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

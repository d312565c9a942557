/**
 * Measures how long a click would wait. A timer runs all the time. If it fires late, an input event at the due time
 * would have had the same delay.
 *
 *   set ── 8 ms ──► due … [ other work of the main thread ] … runs      wait = runs − due
 */
const INTERVAL_MILLISECONDS = 8;
const WINDOW_MILLISECONDS = 2000;

export class Responsiveness {
  readonly #times: number[] = [];
  readonly #waits: number[] = [];
  #due = 0;

  start(): void {
    this.#schedule();
  }

  /** The longest wait of the last two seconds, in milliseconds. */
  get longestWait(): number {
    return this.#waits.reduce((longest, wait) => Math.max(longest, wait), 0);
  }

  #schedule(): void {
    this.#due = performance.now() + INTERVAL_MILLISECONDS;
    setTimeout(() => this.#measure(), INTERVAL_MILLISECONDS);
  }

  #measure(): void {
    const now = performance.now();
    // Browsers delay the timers of hidden pages on purpose.
    if (!document.hidden) {
      this.#times.push(now);
      this.#waits.push(Math.max(0, now - this.#due));
    }
    while ((this.#times[0] ?? now) < now - WINDOW_MILLISECONDS) {
      this.#times.shift();
      this.#waits.shift();
    }
    this.#schedule();
  }
}

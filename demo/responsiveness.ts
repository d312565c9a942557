/**
 * How long a click would wait: a timer is set all the time, and however late it runs, an input event that came
 * when it was due would have been handled as late.
 *
 *   set ── 8 ms ──► due … [ whatever the main thread is busy with ] … runs      wait = runs − due
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

  /** Milliseconds: the longest wait of the last two seconds. */
  get longestWait(): number {
    return this.#waits.reduce((longest, wait) => Math.max(longest, wait), 0);
  }

  #schedule(): void {
    this.#due = performance.now() + INTERVAL_MILLISECONDS;
    setTimeout(() => this.#measure(), INTERVAL_MILLISECONDS);
  }

  #measure(): void {
    const now = performance.now();
    // The timers of a hidden page are held back by the browser, not by work.
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

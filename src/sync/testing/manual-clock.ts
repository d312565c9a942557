import type { Clock } from '../deadline.js';

/** A clock that the test moves. It fires timers in order as it passes them. Test-only. */
export class ManualClock implements Clock {
  #now = 0;
  #next = 1;
  readonly timers = new Map<number, { readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  set(callback: () => void, milliseconds: number): unknown {
    this.timers.set(this.#next, { at: this.#now + milliseconds, callback });
    return this.#next++;
  }

  clear(timer: unknown): void {
    this.timers.delete(timer as number);
  }

  /** Moves the clock, and fires the timers that fall due on the way. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = [...this.timers]
        .filter(([, timer]) => timer.at <= end)
        .sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      this.timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].callback();
    }
    this.#now = end;
  }

  /** Moves the clock without firing anything, as a blocked thread does. */
  block(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Fires the timer that was set first, although its time may not have come. */
  fireEarly(): void {
    const [id, timer] = [...this.timers][0];
    this.timers.delete(id);
    timer.callback();
  }
}

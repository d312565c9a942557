/** A span that the page has measured. Times are milliseconds since the epoch. */
export interface Measure {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

/**
 * Collects the entries of the page's `performance.measure` (User Timing), between `start` and `stop`. Entries from
 * before `start` are included, as far as the browser still has them.
 */
export class MeasureWatch {
  #observer: PerformanceObserver | null = null;
  #measures: Measure[] = [];

  start(): void {
    if (this.#observer || !globalThis.PerformanceObserver?.supportedEntryTypes?.includes('measure')) return;
    this.#add(performance.getEntriesByType('measure'));
    this.#observer = new PerformanceObserver((list) => this.#add(list.getEntries()));
    this.#observer.observe({ type: 'measure' });
  }

  stop(): void {
    this.#observer?.disconnect();
    this.#observer = null;
    this.#measures = [];
  }

  /** Returns the measures since the last call, in order of their begins. */
  take(): readonly Measure[] {
    // The browser delivers entries some time after their end. Take the entries that it has not delivered yet.
    this.#add(this.#observer?.takeRecords() ?? []);
    const taken = this.#measures.sort((a, b) => a.begin - b.begin);
    this.#measures = [];
    return taken;
  }

  #add(entries: readonly PerformanceEntry[]): void {
    for (const { name, startTime, duration } of entries) {
      const begin = performance.timeOrigin + startTime;
      this.#measures.push({ name, begin, end: begin + duration });
    }
  }
}

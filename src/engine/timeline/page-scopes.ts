import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';

/** Maximum number of kept names. Events of older names stay on the timeline without a name. */
const MOST_NAMES = 4096;

/**
 * Scopes and counters of the page on the timeline (SYSTEMS R18): functions that run in `engine.scope`, and values of
 * `engine.counter`. Both are events in the ring of the page's thread. The ring has numbers only, so the names are kept
 * here. With a known name, a scope without a promise reads the clock twice and allocates nothing.
 */
export class PageScopes {
  readonly #ring: EventRing;
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, string>();
  #next = 1;

  constructor(ring: EventRing) {
    this.#ring = ring;
  }

  /** Runs the work, and records its time: until it returns, or until its promise has settled. */
  run<Result>(name: string, work: () => Result): Result {
    const number = this.#numberOf(name);
    const ring = this.#ring;
    const begin = ring.begin(TimelineEvent.scope, number);
    let isPending = false;
    try {
      const result = work();
      isPending = typeof (result as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
      if (isPending) {
        const end = (): void => void ring.end(TimelineEvent.span, number, begin);
        (result as PromiseLike<unknown>).then(end, end);
      }
      return result;
    } finally {
      if (!isPending) ring.end(TimelineEvent.scope, number, begin);
    }
  }

  count(name: string, value: number): void {
    const now = performance.now();
    this.#ring.add(TimelineEvent.counter, this.#numberOf(name), now, now, value);
  }

  /** Returns the name of a scope or counter by its number in the ring; null if it is too old. */
  nameOf(number: number): string | null {
    return this.#names.get(number) ?? null;
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#next++;
    this.#numbers.set(name, number);
    this.#names.set(number, name);
    if (this.#names.size > MOST_NAMES) this.#forgetOldest();
    return number;
  }

  #forgetOldest(): void {
    for (const [number, name] of this.#names) {
      this.#names.delete(number);
      this.#numbers.delete(name);
      return;
    }
  }
}

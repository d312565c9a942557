/**
 * Waits of this thread for counters of one task system, so that the system's end ends them as well.
 *
 *   tasks.counter() ─ adopt(memory) ─► of(memory) ◄─ whenReached()        end(reason): all who wait look again, and find the reason
 */
const owners = new WeakMap<ArrayBufferLike, CounterWaits>();

export class CounterWaits {
  readonly #wakes = new Set<() => void>();
  #reason: Error | null = null;

  /** Those of the system whose counters lie in this memory; undefined: a program made it itself. */
  static of(memory: ArrayBufferLike): CounterWaits | undefined {
    return owners.get(memory);
  }

  /** Why nobody may wait any more; null: the system lives. */
  get reason(): Error | null {
    return this.#reason;
  }

  adopt(memory: ArrayBufferLike): void {
    owners.set(memory, this);
  }

  add(wake: () => void): void {
    this.#wakes.add(wake);
  }

  delete(wake: () => void): void {
    this.#wakes.delete(wake);
  }

  end(reason: Error): void {
    this.#reason = reason;
    for (const wake of this.#wakes) wake();
  }
}

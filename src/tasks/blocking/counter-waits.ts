/**
 * The pending waits of this thread for counters of one task system. They end when the system ends.
 *
 *   tasks.counter() ─ adopt(memory) ─► of(memory) ◄─ whenReached()        end(reason): all waiters wake and throw the reason
 */
const owners = new WeakMap<ArrayBufferLike, CounterWaits>();

export class CounterWaits {
  readonly #wakes = new Set<() => void>();
  #reason: Error | null = null;

  /** Returns the waits of the system that allocated this memory; undefined if the program allocated it itself. */
  static of(memory: ArrayBufferLike): CounterWaits | undefined {
    return owners.get(memory);
  }

  /** The error that ended the system, or `null` while the system runs. */
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

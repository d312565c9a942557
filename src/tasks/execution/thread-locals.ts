/**
 * Values of one thread, by key. The first task that asks for a key creates its value. The value is cleaned up
 * when the thread exits (SYSTEMS T13). A thread exits when the pool ends the worker, a runnable ends, or the
 * task system is disposed of. A thread that dies cleans up nothing.
 */
export class ThreadLocals {
  readonly #values = new Map<unknown, { readonly value: unknown; readonly cleanUp: (() => void) | null }>();
  readonly #onFirstCleanUp: () => void;
  #hasCleanUp = false;

  /**
   * @param onFirstCleanUp called when the first value with a clean-up is created. `clear` must then be called
   *   before the thread ends
   */
  constructor(onFirstCleanUp: () => void = () => {}) {
    this.#onFirstCleanUp = onFirstCleanUp;
  }

  get<T>(key: unknown, create: () => T, cleanUp?: (value: T) => void): T {
    const known = this.#values.get(key);
    if (known) return known.value as T;
    const value = create();
    this.#values.set(key, { value, cleanUp: cleanUp ? () => cleanUp(value) : null });
    if (cleanUp && !this.#hasCleanUp) {
      this.#hasCleanUp = true;
      this.#onFirstCleanUp();
    }
    return value;
  }

  /**
   * Cleans up all values, the last created first, because the thread exits.
   * @param onError receives errors of clean-ups
   */
  clear(onError: (error: unknown) => void): void {
    const values = [...this.#values.values()].reverse();
    this.#values.clear();
    for (const { cleanUp } of values) {
      try {
        cleanUp?.();
      } catch (error) {
        onError(error);
      }
    }
  }
}

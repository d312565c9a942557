/**
 * Values of one thread, made by the first task on it that asks, and cleaned up when the thread exits: when the pool gives its worker
 * back, when a runnable ends, when the task system is disposed of (SYSTEMS T13). A thread that dies cleans up nothing.
 */
export class ThreadLocals {
  readonly #values = new Map<unknown, { readonly value: unknown; readonly cleanUp: (() => void) | null }>();
  readonly #onFirstCleanUp: () => void;
  #hasCleanUp = false;

  /** @param onFirstCleanUp somebody has to call `clear` before the thread ends */
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

  /** The thread exits: the last that was made goes first. @param onError told of each clean-up that throws */
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

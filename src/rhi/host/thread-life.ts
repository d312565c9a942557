/**
 * Knowing that a thread has ended. A port tells in Node alone (`close`); in browsers the other thread holds a lock, which
 * the browser frees when that thread ends, however it does.
 *
 *   serving thread     holdLock ├────────── held ──────────┤ ended, or released
 *   recording thread       whenFree ├── waits ─────────────┤ onFree
 */

const manager = (): LockManager | undefined => globalThis.navigator?.locks;

/** @returns a name that no other lock has; undefined where there are no locks */
export function newLockName(): string | undefined {
  return manager() && `fencepost rhi ${crypto.randomUUID()}`;
}

/** Resolves when the lock is held, to a function that lets it go. */
export function holdLock(name: string | undefined): Promise<() => void> {
  const locks = manager();
  if (name === undefined || locks === undefined) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    const hold = (): Promise<void> => new Promise((release) => resolve(release));
    locks.request(name, hold).catch(reject);
  });
}

/** @returns a function that stops waiting */
export function whenFree(name: string | undefined, onFree: () => void): () => void {
  const locks = manager();
  if (name === undefined || locks === undefined) return () => {};
  const abort = new AbortController();
  // It rejects when it is aborted.
  locks.request(name, { signal: abort.signal }, onFree).catch(() => {});
  return () => abort.abort();
}

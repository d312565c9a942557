/**
 * Detects the end of another thread. In Node, the port reports it with `close`. In browsers, the other thread holds a
 * lock, which the browser releases when that thread ends for any reason.
 *
 *   serving thread     holdLock ├────────── held ──────────┤ ended, or released
 *   recording thread       whenFree ├── waits ─────────────┤ onFree
 */

const manager = (): LockManager | undefined => globalThis.navigator?.locks;

/** Returns a unique lock name; undefined without the Web Locks API. */
export function newLockName(): string | undefined {
  return manager() && `fencepost rhi ${crypto.randomUUID()}`;
}

/** Resolves when the lock is held, with a function that releases it. */
export function holdLock(name: string | undefined): Promise<() => void> {
  const locks = manager();
  if (name === undefined || locks === undefined) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    const hold = (): Promise<void> => new Promise((release) => resolve(release));
    locks.request(name, hold).catch(reject);
  });
}

/** Calls `onFree` when the lock is free, because its holder has ended. @returns a function that stops waiting */
export function whenFree(name: string | undefined, onFree: () => void): () => void {
  const locks = manager();
  if (name === undefined || locks === undefined) return () => {};
  const abort = new AbortController();
  // An aborted request rejects.
  locks.request(name, { signal: abort.signal }, onFree).catch(() => {});
  return () => abort.abort();
}

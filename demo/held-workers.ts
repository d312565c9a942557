/**
 * Keeps references to the engine's workers by replacing the constructor `Worker`, as any script on a page could. The
 * engine does not know of the replacement, and recognises a terminated worker only by its silence.
 *
 *   new Worker(url) ─► HeldWorker ─► living ── terminateOldest() ─► ✕       the engine: error … threadrestarted
 */

/** Living workers, oldest first. */
const living: Worker[] = [];

/** Keeps a reference to each drawing worker that starts from now on. Call it before `createEngine`. */
export function holdWorkers(): void {
  const NativeWorker = globalThis.Worker;
  globalThis.Worker = class HeldWorker extends NativeWorker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      // The asset worker and the pool's workers draw nothing.
      if (!/(asset|task)-worker/.test(String(url))) living.push(this);
    }

    override terminate(): void {
      const index = living.indexOf(this);
      if (index >= 0) living.splice(index, 1);
      super.terminate();
    }
  };
}

/** Terminates the oldest worker without informing the engine. @returns false if no worker is alive */
export function terminateOldest(): boolean {
  const [oldest] = living;
  oldest?.terminate();
  return oldest !== undefined;
}

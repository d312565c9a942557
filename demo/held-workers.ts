/**
 * The engine's workers, held as any script on a page could hold them: by the constructor that starts them. Nothing of
 * this is the engine's doing, which learns of a terminated worker only by its silence.
 *
 *   new Worker(url) ─► HeldWorker ─► living ── terminateOldest() ─► ✕       the engine: error … threadrestarted
 */

/** Oldest first. */
const living: Worker[] = [];

/** From now on every worker that draws is held. Call it before an engine is created. */
export function holdWorkers(): void {
  const NativeWorker = globalThis.Worker;
  globalThis.Worker = class HeldWorker extends NativeWorker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      // The worker that decodes files draws nothing.
      if (!/asset-worker/.test(String(url))) living.push(this);
    }

    override terminate(): void {
      const index = living.indexOf(this);
      if (index >= 0) living.splice(index, 1);
      super.terminate();
    }
  };
}

/** Ends the worker that has lived longest, without a word to the engine. False when there is none. */
export function terminateOldest(): boolean {
  const [oldest] = living;
  oldest?.terminate();
  return oldest !== undefined;
}

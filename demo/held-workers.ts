/**
 * Holds the engine's workers, as any script on a page could: by replacing the constructor that starts them. The engine
 * does not take part. It recognises a terminated worker only by its silence.
 *
 *   new Worker(url) ─► HeldWorker ─► living ── terminateOldest() ─► ✕       the engine: error … threadrestarted
 */

/** Living workers, oldest first. */
const living: Worker[] = [];

/** Holds every drawing worker that starts from now on. Call it before an engine is created. */
export function holdWorkers(): void {
  const NativeWorker = globalThis.Worker;
  globalThis.Worker = class HeldWorker extends NativeWorker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      // The asset worker decodes files and draws nothing.
      if (!/asset-worker/.test(String(url))) living.push(this);
    }

    override terminate(): void {
      const index = living.indexOf(this);
      if (index >= 0) living.splice(index, 1);
      super.terminate();
    }
  };
}

/** Terminates the oldest worker without telling the engine. Returns false when there is none. */
export function terminateOldest(): boolean {
  const [oldest] = living;
  oldest?.terminate();
  return oldest !== undefined;
}

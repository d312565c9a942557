import type { WorkerUrl } from './worker-location.js';

/** Where the script of the task system's workers is: beside the library, unless the page says otherwise. */
export function findTaskWorker(override?: string | URL): URL {
  return new URL(override ?? new URL('../task-worker.ts', import.meta.url), document.baseURI);
}

/** The same for an engine that was told where its workers are. */
export function besideEngine(workerUrl: WorkerUrl): URL {
  const isOne = typeof workerUrl !== 'object' || workerUrl instanceof URL;
  const given = isOne ? undefined : workerUrl.tasks;
  const engine = new URL(isOne ? workerUrl : workerUrl.engine, document.baseURI);
  return new URL(given ?? 'task-worker.js', engine);
}

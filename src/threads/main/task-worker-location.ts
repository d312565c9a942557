/** Where the script of the task system's workers is: beside the library, unless the page says otherwise. */
export function findTaskWorker(override?: string | URL): URL {
  return new URL(override ?? new URL('../task-worker.ts', import.meta.url), document.baseURI);
}

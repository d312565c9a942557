/** Where the script of the task system's workers is: beside the library, unless the page says otherwise. */
export function findTaskWorker(override?: string | URL): URL {
  return new URL(override ?? new URL('../task-worker.ts', import.meta.url), document.baseURI);
}

/** Where the part is that the engine's threads serve tasks by. Not among the others: a page that only draws knows nothing of it. */
export function findNamedPart(override?: string | URL): URL {
  return new URL(override ?? new URL('../worker-named.ts', import.meta.url), document.baseURI);
}

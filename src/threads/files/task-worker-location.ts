import { resolveUrl } from './resolve-url.js';

/** Returns the address of the task workers' script: beside the library, unless the page says otherwise. */
export function findTaskWorker(override?: string | URL): URL {
  return resolveUrl(override ?? new URL('../task-worker.ts', import.meta.url));
}

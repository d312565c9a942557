/** What a load rejects with whose worker has ended. Apart from the rest of loading, because the main thread says it as well. */
import { isTyped, ThreadError } from '../core/errors.js';
import type { AssetSource, CubePictures } from '../proxy/scene-description.js';

/** A data URL holds the whole file; errors name its beginning. */
export function shortUrl(url: string): string {
  return url.startsWith('data:') && url.length > 48 ? `${url.slice(0, 48)}…` : url;
}

/** What errors call the file, or all of several. */
export function nameOfSource(source: AssetSource | CubePictures): string {
  if (source.kind === 'url') return shortUrl(source.url);
  return source.kind === 'files' ? source.files.map(({ name }) => name).join('", "') : source.name;
}

const WORKER_DIED = 'asset-worker-died';

/** @param who a noun @param reason of the browser, or empty */
export function workerDied(file: string, who: string, reason: string): ThreadError {
  return new ThreadError(
    WORKER_DIED,
    `"${file}": ${who} ended with an error${reason && ` (${reason})`}. Load again; if it happens each time, check that the worker's script can be fetched.`,
  );
}

/** Recognizes the error by its code, whichever of the library's files threw it. */
export const isWorkerDeath = (error: unknown): boolean => isTyped(error) && error.code === WORKER_DIED;

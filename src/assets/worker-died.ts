/** The error of a load whose worker has ended. The main thread imports this file as well, so it imports no loader. */
import { isTyped, ThreadError } from '../core/errors.js';
import type { AssetSource, CubePictures } from '../proxy/scene-description.js';

/** Shortens data URLs for messages, because they contain the whole file. */
export function shortUrl(url: string): string {
  return url.startsWith('data:') && url.length > 48 ? `${url.slice(0, 48)}…` : url;
}

/** Returns the name of a source for messages. For several files, the name lists all of them. */
export function nameOfSource(source: AssetSource | CubePictures): string {
  if (source.kind === 'url') return shortUrl(source.url);
  return source.kind === 'files' ? source.files.map(({ name }) => name).join('", "') : source.name;
}

const WORKER_DIED = 'asset-worker-died';

/**
 * Creates the error of a load whose worker has ended.
 * @param worker the worker as a noun phrase, such as "The asset worker"
 * @param reason the browser's message, or empty
 */
export function workerDied(file: string, worker: string, reason: string): ThreadError {
  return new ThreadError(
    WORKER_DIED,
    `"${file}": ${worker} ended with an error${reason && ` (${reason})`}. Load again; if it happens each time, check that the worker's script can be fetched.`,
  );
}

/** Returns whether `workerDied` created an error. Codes are compared, because each bundle has its own error classes. */
export const isWorkerDeath = (error: unknown): boolean => isTyped(error) && error.code === WORKER_DIED;

import { ThreadError } from '../../core/errors.js';
import { blockedWorkers, isOwnOrigin } from './module-worker.js';

/**
 * Returns the error for a worker that has stopped.
 *
 * @param name as in messages: "render"
 * @param message of its error event; empty where the browser says nothing
 */
export function workerFailure(name: string, message: string, hasStarted: boolean, url: URL): ThreadError {
  const reason = message ? `: ${message}` : '';
  if (hasStarted)
    return new ThreadError('worker-died', `The ${name} worker stopped${reason}. It is started again.`);
  const directive = blockedDirective(url);
  const remedy = directive
    ? `The page's Content-Security-Policy blocks it: allow ${directive}, or pass threading: 'single'.`
    : 'Serve worker.js beside the module, or pass workerUrl.';
  const from = url.protocol.startsWith('http') ? ` from ${url.href}` : '';
  return new ThreadError(
    'worker-failed-to-start',
    `The ${name} worker did not start${from}${reason}. ${remedy}`,
  );
}

/** What the page's Content-Security-Policy has to allow for a worker that it has blocked; empty: it has not blocked it. */
function blockedDirective({ href, protocol }: URL): string {
  const isBlob = protocol === 'blob:' || !isOwnOrigin(href);
  return blockedWorkers.has(isBlob ? 'blob' : href) ? `worker-src ${isBlob ? 'blob:' : "'self'"}` : '';
}

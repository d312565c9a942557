import { hasOpaqueOrigin } from '../../core/browser/opaque-origin.js';
import { ThreadError } from '../../core/errors.js';
import { blockedWorkers, isOwnOrigin } from '../library-files/module-worker.js';

/**
 * Returns the error for a worker that has stopped, or did not start.
 *
 * @param name name of the worker in messages, such as "render"
 * @param message message of the worker's error event; empty if the browser reports no message
 */
export function workerFailure(name: string, message: string, hasStarted: boolean, url: URL): ThreadError {
  const reason = message ? `: ${message}` : '';
  if (hasStarted)
    return new ThreadError('worker-died', `The ${name} worker stopped${reason}. It is started again.`);
  const from = isOnServer(url) ? ` from ${url.href}` : '';
  return new ThreadError(
    'worker-failed-to-start',
    `The ${name} worker did not start${from}${reason}. ${remedyFor(url)}`,
  );
}

function remedyFor(url: URL): string {
  const directive = blockedDirective(url);
  if (directive)
    return `The page's Content-Security-Policy blocks it: allow ${directive}, or pass threading: 'single'.`;
  const advice = 'Serve worker.js beside the module, or pass workerUrl.';
  if (hasOpaqueOrigin()) {
    return isOnServer(url)
      ? `${OPAQUE}: the server has to send Access-Control-Allow-Origin: * with worker.js and the files beside it. Or import fencepost/inline.`
      : `${OPAQUE}, where browsers start no module worker from a ${url.protocol} URL. Import fencepost/inline, or pass as workerUrl an address whose server sends Access-Control-Allow-Origin: *.`;
  }
  return isOwnOrigin(url.href)
    ? advice
    : `${advice} It lies on another origin, whose server has to send Access-Control-Allow-Origin.`;
}

const OPAQUE = 'The page has an opaque origin (a sandboxed frame, or a file)';

const isOnServer = ({ protocol }: URL): boolean => protocol.startsWith('http');

/**
 * Returns the directive that the page's Content-Security-Policy must allow for a blocked worker; empty if the
 * worker was not blocked.
 */
function blockedDirective({ href, protocol }: URL): string {
  // A worker of another origin is started through a script that imports it.
  const shim = hasOpaqueOrigin() ? 'data' : 'blob';
  const scheme = /^(blob|data):$/.test(protocol) ? protocol.slice(0, -1) : isOwnOrigin(href) ? null : shim;
  return blockedWorkers.has(scheme ?? href) ? `worker-src ${scheme ? `${scheme}:` : "'self'"}` : '';
}

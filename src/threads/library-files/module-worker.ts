// Starts module workers from any origin. A script on another origin is started through a script that imports
// it. If the page's policy requires trusted types, a policy named `fencepost` creates the addresses.
//
//   same origin ──────────────► new Worker(url)
//   other origin ─────────────► new Worker(blob: import "url")
//   page of an opaque origin ─► new Worker(data: import "url")     Chromium starts no blob: worker on such pages

import { hasOpaqueOrigin } from '../../core/browser/opaque-origin.js';
import { messageOf, ThreadError } from '../../core/errors.js';

/**
 * Addresses of scripts that import a worker of another origin, by the worker's URL. They are kept for
 * restarts.
 */
const shimUrls = new Map<string, string>();

/**
 * Starts a module worker. The engine calls this on the main thread, because nested workers get no animation frames.
 *
 * @param name name of the worker, for browsers' developer tools and for its script
 * @throws ThreadError `worker-failed-to-start` if the platform has no workers, the page's policy forbids the Trusted
 * Types policy `fencepost`, or the browser rejects the address
 */
export function startModuleWorker(href: string, name = ''): Worker {
  requireWorkers();
  // The listener is the same each time, so it is added only once.
  globalThis.document?.addEventListener('securitypolicyviolation', noteBlocked);
  const url = toScriptUrl(isOwnOrigin(href) ? href : shimFor(href));
  try {
    return new Worker(url, { type: 'module', name });
  } catch (cause) {
    throw new ThreadError(
      'worker-failed-to-start',
      `The browser refuses the worker ${shownUrl(href)}: ${messageOf(cause)} Serve it beside the module, or pass workerUrl.`,
      { cause },
    );
  }
}

/** @throws ThreadError `worker-failed-to-start` if the platform has no workers */
export function requireWorkers(): void {
  if (globalThis.Worker) return;
  throw new ThreadError(
    'worker-failed-to-start',
    "This platform has no workers (no global Worker). The engine runs with threading: 'single'.",
  );
}

/** Shortens an address for messages, because `data:` URLs contain the whole script. */
const shownUrl = (href: string): string => (href.startsWith('data:') ? 'of a data: URL' : href);

/**
 * Returns an address for a script with this source. A worker can start from the address or import it. The address is
 * valid as long as the page exists.
 */
export function scriptUrl(source: string): string {
  if (hasOpaqueOrigin()) return `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
}

/**
 * Addresses of workers that the page's policy has blocked, from `securitypolicyviolation` events. Such an event arrives
 * before the worker's error.
 */
export const blockedWorkers = new Set<string>();

function noteBlocked({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void {
  if (effectiveDirective === 'worker-src') blockedWorkers.add(blockedURI);
}

function shimFor(href: string): string {
  let shim = shimUrls.get(href);
  if (shim === undefined) {
    shim = scriptUrl(`import ${JSON.stringify(href)};`);
    shimUrls.set(href, shim);
  }
  return shim;
}

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy;
}

/** The policy that creates script addresses. It exists once, because a page may forbid a second policy of its name. */
let policy: ScriptUrlPolicy | undefined;

/**
 * Returns an address that `Worker` accepts under `require-trusted-types-for 'script'`. Without trusted types,
 * it is the address itself.
 */
function toScriptUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  try {
    policy ??= trustedTypes?.createPolicy('fencepost', { createScriptURL: (text) => text });
  } catch (cause) {
    throw new ThreadError(
      'worker-failed-to-start',
      "The page's Content-Security-Policy allows no Trusted Types policy named fencepost. Add trusted-types fencepost. If the page has several copies of the library, also add 'allow-duplicates'.",
      { cause },
    );
  }
  return policy ? policy.createScriptURL(url) : url;
}

/**
 * Returns whether a URL has the page's own origin. `blob:` URLs contain the origin that created them, and
 * `data:` URLs may be started from anywhere. The origin of `location` is not used: in a sandboxed
 * frame it is the origin of the frame's address.
 */
export function isOwnOrigin(url: string): boolean {
  const { origin, protocol } = new URL(url);
  return origin === globalThis.origin || protocol === 'data:';
}

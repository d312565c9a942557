// How a module worker is started, wherever its script lies. One on another origin is started through a script that imports
// it. Where the page's policy requires trusted types, the addresses go through a policy named `fencepost`.
//
//   same origin ──────────────► new Worker(url)
//   other origin ─────────────► new Worker(blob: import "url")
//   page of an opaque origin ─► new Worker(data: import "url")     Chromium starts no module worker from blob: there

import { hasOpaqueOrigin } from '../../core/browser/opaque-origin.js';
import { messageOf, ThreadError } from '../../core/errors.js';

/** The script that imports a worker of another origin, by the worker's URL. One short string each, kept for restarts. */
const shimUrls = new Map<string, string>();

/**
 * Runs on the main thread (nested workers get no animation frames), and in the asset worker, whose helpers need none.
 *
 * @param name of the worker, for browsers' tools and for its script
 * @throws ThreadError `worker-failed-to-start` where there are no workers, the page's policy does not allow the address, or the
 * browser refuses it
 */
export function startModuleWorker(href: string, name = ''): Worker {
  requireWorkers();
  // The same listener each time: it is added once.
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

/** @throws ThreadError `worker-failed-to-start` where there are none */
export function requireWorkers(): void {
  if (globalThis.Worker) return;
  throw new ThreadError(
    'worker-failed-to-start',
    "There are no workers here: no global Worker. The engine runs with threading: 'single'.",
  );
}

/** For messages: the sources of scripts are in `data:` URLs. */
const shownUrl = (href: string): string => (href.startsWith('data:') ? 'of a data: URL' : href);

/** Returns the address of a script that a worker can be started from and can import. It is valid as long as the page. */
export function scriptUrl(source: string): string {
  if (hasOpaqueOrigin()) return `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
}

/** Addresses of workers that the page's policy has blocked, as its events name them. The event precedes the worker's error. */
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

/** Made with the first worker, once: a page's policy may refuse a second one of the same name. */
let policy: ScriptUrlPolicy | undefined;

/** Returns an address that `Worker` accepts under `require-trusted-types-for 'script'`; elsewhere the address itself. */
function toScriptUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  try {
    policy ??= trustedTypes?.createPolicy('fencepost', { createScriptURL: (text) => text });
  } catch (cause) {
    throw new ThreadError(
      'worker-failed-to-start',
      "The page's Content-Security-Policy allows no Trusted Types policy named fencepost. Add trusted-types fencepost; where the page has several copies of the library, 'allow-duplicates' as well.",
      { cause },
    );
  }
  return policy ? policy.createScriptURL(url) : url;
}

/**
 * `blob:` URLs carry the origin that made them; `data:` ones may be started from anywhere. The origin of `location` is not asked:
 * that of a sandboxed frame is its address's.
 */
export function isOwnOrigin(url: string): boolean {
  const { origin, protocol } = new URL(url);
  return origin === globalThis.origin || protocol === 'data:';
}

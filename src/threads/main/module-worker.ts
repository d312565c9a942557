// How a module worker is started, wherever its script lies. One on another origin is started through a `blob:` that imports
// it. Where the page's policy requires trusted types, the addresses go through a policy named `fencepost`.
//
//   same origin ──► new Worker(url)
//   other origin ─► new Worker(blob: import "url")

import { ThreadError } from '../../core/errors.js';

/** The blob that imports a worker of another origin, by its URL. One short-lived string each, kept for restarts. */
const shimUrls = new Map<string, string>();

/**
 * Runs on the main thread (nested workers get no animation frames), and in the asset worker, whose helpers need none.
 *
 * @param name of the worker, for browsers' tools and for its script
 * @throws ThreadError `worker-failed-to-start` where there are no workers, or the page's policy allows neither the address
 * nor a `blob:` for it
 */
export function startModuleWorker(href: string, name = ''): Worker {
  requireWorkers();
  // The same listener each time: it is added once.
  globalThis.document?.addEventListener('securitypolicyviolation', noteBlocked);
  return new Worker(toScriptUrl(isOwnOrigin(href) ? href : shimFor(href)), { type: 'module', name });
}

/** @throws ThreadError `worker-failed-to-start` where there are none */
export function requireWorkers(): void {
  if (globalThis.Worker) return;
  throw new ThreadError(
    'worker-failed-to-start',
    "There are no workers here: no global Worker. The engine runs with threading: 'single'.",
  );
}

/** Addresses of workers that the page's policy has blocked, as its events name them. The event precedes the worker's error. */
export const blockedWorkers = new Set<string>();

function noteBlocked({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void {
  if (effectiveDirective === 'worker-src') blockedWorkers.add(blockedURI);
}

function shimFor(href: string): string {
  let shim = shimUrls.get(href);
  if (shim === undefined) {
    const source = `import ${JSON.stringify(href)};`;
    shim = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
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

/** What `Worker` takes under `require-trusted-types-for 'script'`; elsewhere the address itself. */
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

/** `blob:` URLs carry the origin that made them; `data:` ones may be started from anywhere. */
export function isOwnOrigin(url: string): boolean {
  const { origin, protocol } = new URL(url);
  return origin === location.origin || protocol === 'data:';
}

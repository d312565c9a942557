// How a module worker is found and started, wherever the library was put. The three `new Worker(new URL(…,
// import.meta.url), …)` expressions stay literal, because that is the form bundlers recognise and rewrite; the
// build turns their `.ts` into `.js`. A worker on another origin is started through a `blob:` that imports it.
//
//   override given ──────────────► its URL ─┐
//   library on the page's origin ─► literal │      same origin ─► new Worker(url)
//   library on another origin ────► locate ─┴──►   other origin ─► new Worker(blob: import "url")

import type { WorkerPart } from '../control/messages.js';

/** The files of the library's workers: the render worker, what it loads on demand, and the worker that decodes assets. */
export type WorkerKind = 'engine' | WorkerPart | 'assets';

/**
 * Where the worker files are, when the library cannot know by itself. A single URL is that of `worker.js`;
 * `asset-worker.js`, `worker-features.js` and `worker-images.js` are then expected beside it. `blob:` and `data:` URLs have no "beside":
 * give all. Relative URLs are resolved against the document.
 */
export type WorkerUrl =
  | string
  | URL
  | ({ readonly engine: string | URL; readonly assets: string | URL } & Readonly<
      Partial<Record<WorkerPart, string | URL>>
    >);

/** The blob that imports a worker of another origin, by its URL. One short-lived string each, kept for restarts. */
const shimUrls = new Map<string, string>();

/** Starts the worker of this kind as a module worker. Runs on the main thread (nested workers get no animation frames). */
export function createModuleWorker(kind: WorkerKind, override?: WorkerUrl): Worker {
  if (override !== undefined || !isOwnOrigin(import.meta.url))
    return startFromUrl(findWorker(kind, override));
  try {
    return construct(kind);
  } catch (error) {
    // A bundler may have put the worker on another origin than the code that starts it (an asset host).
    if (error instanceof DOMException && error.name === 'SecurityError') return startFromUrl(locate(kind));
    throw error;
  }
}

/** Where this kind of worker is. */
export function findWorker(kind: WorkerKind, override?: WorkerUrl): URL {
  return override === undefined ? locate(kind) : resolveOverride(kind, override);
}

/** Where a file is that workers load; empty where an override gives no place beside which it could be. */
export function findPart(part: WorkerPart, override?: WorkerUrl): string {
  try {
    return findWorker(part, override).href;
  } catch {
    return '';
  }
}

/** The absolute URL that `override` gives for this kind of worker. */
export function resolveOverride(kind: WorkerKind, override: WorkerUrl): URL {
  const base = document.baseURI;
  const isOne = typeof override !== 'object' || override instanceof URL;
  const given = isOne ? undefined : override[kind];
  if (given !== undefined) return new URL(given, base);
  const engine = new URL(isOne ? override : override.engine, base);
  return kind === 'engine' ? engine : new URL(FILES[kind], engine);
}

const FILES = { assets: 'asset-worker.js', features: 'worker-features.js', images: 'worker-images.js' };

function construct(kind: WorkerKind): Worker {
  if (kind === 'engine') return new Worker(new URL('../worker.ts', import.meta.url), { type: 'module' });
  if (kind === 'assets')
    return new Worker(new URL('../asset-worker.ts', import.meta.url), { type: 'module' });
  // Never started: workers import them. This is the form in which bundlers find them and keep them.
  if (kind === 'images')
    return new Worker(new URL('../worker-images.ts', import.meta.url), { type: 'module' });
  return new Worker(new URL('../worker-features.ts', import.meta.url), { type: 'module' });
}

/**
 * The URL the literals stand for after a bundler has rewritten them. Only the literals know it, so they are
 * evaluated once with a constructor that notes its argument, within this synchronous call.
 */
function locate(kind: WorkerKind): URL {
  const nativeWorker = globalThis.Worker;
  let found = '';
  class LocatedWorker {
    constructor(url: string | URL) {
      found = String(url);
    }
  }
  globalThis.Worker = LocatedWorker as unknown as typeof Worker;
  try {
    construct(kind);
  } finally {
    globalThis.Worker = nativeWorker;
  }
  return new URL(found, document.baseURI);
}

function startFromUrl(url: URL): Worker {
  const href = url.href;
  if (isOwnOrigin(href)) return new Worker(href, { type: 'module' });
  let shim = shimUrls.get(href);
  if (shim === undefined) {
    const source = `import ${JSON.stringify(href)};`;
    shim = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    shimUrls.set(href, shim);
  }
  return new Worker(shim, { type: 'module' });
}

/** `blob:` URLs carry the origin that made them; `data:` ones may be started from anywhere. */
function isOwnOrigin(url: string): boolean {
  const { origin, protocol } = new URL(url);
  return origin === location.origin || protocol === 'data:';
}

// How a module worker is found and started, wherever the library was put. The three `new Worker(new URL(…,
// import.meta.url), …)` expressions stay literal, because that is the form bundlers recognise and rewrite; the
// build turns their `.ts` into `.js`. A worker on another origin is started through a `blob:` that imports it.
//
//   override given ──────────────► its URL ─┐
//   library on the page's origin ─► literal │      same origin ─► new Worker(url)
//   library on another origin ────► locate ─┴──►   other origin ─► new Worker(blob: import "url")

import type { ThreadPartName } from '../control/thread-parts.js';

/** The files of the library's workers: the render worker, its parts, and the worker that decodes assets. */
export type WorkerKind = 'engine' | ThreadPartName | 'assets';

/**
 * Where the worker files are, when the library cannot know by itself. A single URL is that of `worker.js`;
 * `asset-worker.js` and the parts (`worker-images.js`, `worker-motion.js` …) are then expected beside it. `blob:` and
 * `data:` URLs have no "beside": give all. Relative URLs are resolved against the document.
 */
export type WorkerUrl =
  | string
  | URL
  | ({ readonly engine: string | URL; readonly assets: string | URL } & Readonly<
      Partial<Record<ThreadPartName, string | URL>>
    >);

/** The blob that imports a worker of another origin, by its URL. One short-lived string each, kept for restarts. */
const shimUrls = new Map<string, string>();

/** Starts the worker of this kind as a module worker. Runs on the main thread (nested workers get no animation frames). */
export function createModuleWorker(kind: WorkerKind, override?: WorkerUrl): Worker {
  if (override !== undefined || !isOwnOrigin(import.meta.url))
    return startFromUrl(findWorker(kind, override));
  try {
    return WORKERS[kind]();
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

/** Where the parts are that workers load; empty where an override gives no place beside which they could be. */
export function findParts(override?: WorkerUrl): Record<ThreadPartName, string> {
  const found = Object.keys(WORKERS)
    .filter((kind) => kind !== 'engine' && kind !== 'assets')
    .map((part) => {
      try {
        return [part, findWorker(part as ThreadPartName, override).href];
      } catch {
        return [part, ''];
      }
    });
  return Object.fromEntries(found);
}

/** The absolute URL that `override` gives for this kind of worker. */
export function resolveOverride(kind: WorkerKind, override: WorkerUrl): URL {
  const base = document.baseURI;
  const isOne = typeof override !== 'object' || override instanceof URL;
  const given = isOne ? undefined : override[kind];
  if (given !== undefined) return new URL(given, base);
  const engine = new URL(isOne ? override : override.engine, base);
  return kind === 'engine' ? engine : new URL(fileOf(kind), engine);
}

/** Parts are never started: workers import them. This is the form in which bundlers find their files and keep them. */
const WORKERS: Readonly<Record<WorkerKind, () => Worker>> = {
  engine: () => new Worker(new URL('../worker.ts', import.meta.url), { type: 'module' }),
  assets: () => new Worker(new URL('../asset-worker.ts', import.meta.url), { type: 'module' }),
  captures: () => new Worker(new URL('../worker-captures.ts', import.meta.url), { type: 'module' }),
  images: () => new Worker(new URL('../worker-images.ts', import.meta.url), { type: 'module' }),
  modules: () => new Worker(new URL('../worker-modules.ts', import.meta.url), { type: 'module' }),
  motion: () => new Worker(new URL('../worker-motion.ts', import.meta.url), { type: 'module' }),
  null: () => new Worker(new URL('../worker-null.ts', import.meta.url), { type: 'module' }),
  validation: () => new Worker(new URL('../worker-validation.ts', import.meta.url), { type: 'module' }),
};

/** Of every kind but `engine`, whose file an override names. */
const fileOf = (kind: WorkerKind): string => (kind === 'assets' ? 'asset-worker.js' : `worker-${kind}.js`);

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
    WORKERS[kind]();
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

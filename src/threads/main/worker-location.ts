// Where the library's worker files are, wherever the library was put, and how a worker is started from there. The
// `new URL('…', import.meta.url)` expressions are literal, because that is the form in which bundlers recognise a file:
// they copy it as it is, which is all that a worker of one file needs, and put its new address there. The build turns
// their `.ts` into `.js`.

import type { ThreadPartName } from '../control/thread-parts.js';
import { startModuleWorker } from './module-worker.js';

/** The files of the library's workers: the render worker, its parts, and the worker that decodes assets. */
export type WorkerKind = 'engine' | ThreadPartName | 'assets';

/** All but the parts that `task-worker-location.ts` and `asset-worker-location.ts` find. */
type LocatedKind = Exclude<WorkerKind, 'named' | 'assets' | AssetPartName>;

/** The parts of the asset worker. */
export type AssetPartName = 'basis' | 'decoding' | 'draco' | 'faces' | 'ktx2' | 'meshopt';

/**
 * Where the worker files are, when the library cannot know by itself. A single URL is that of `worker.js`;
 * `asset-worker.js`, `task-worker.js` and the parts (`worker-images.js`, `worker-motion.js` …) are then expected beside it. `blob:` and
 * `data:` URLs have no "beside": give all. Relative URLs are resolved against the document.
 */
export type WorkerUrl =
  | string
  | URL
  | ({ readonly engine: string | URL; readonly assets: string | URL } & Readonly<
      Partial<Record<ThreadPartName | 'tasks', string | URL>>
    >);

/** Where a kind of worker is that the page has put elsewhere (`worker-override.ts`). */
export type Locate = (kind: WorkerKind | 'tasks') => URL;

/**
 * Starts the worker of this kind as a module worker. Runs on the main thread (nested workers get no animation frames).
 *
 * @throws ThreadError `worker-failed-to-start` where the page's policy allows neither the address nor who made it
 */
export function createModuleWorker(kind: LocatedKind, locate?: Locate): Worker {
  return startModuleWorker(findWorker(kind, locate).href);
}

/** Where this kind of worker is. */
export function findWorker(kind: LocatedKind, locate?: Locate): URL {
  // Next.js has an address without an origin take the literal's place.
  return locate?.(kind) ?? new URL(String(LOCATIONS[kind]()), document.baseURI);
}

/** Where the parts are that workers load; empty where an override gives no place beside which they could be. */
export function findParts(locate?: Locate): Record<ThreadPartName, string> {
  // With those of whole workers, which nobody asks for.
  const found = Object.keys(LOCATIONS).map((part) => {
    try {
      return [part, findWorker(part as LocatedKind, locate).href];
    } catch {
      return [part, ''];
    }
  });
  return Object.fromEntries(found);
}

/** The addresses of the files beside the library; bundlers have put others there, relative to the document perhaps. */
const LOCATIONS: Readonly<Record<LocatedKind, () => URL>> = {
  engine: () => new URL('../worker.ts', import.meta.url),
  blending: () => new URL('../worker-blending.ts', import.meta.url),
  bundles: () => new URL('../worker-bundles.ts', import.meta.url),
  captures: () => new URL('../worker-captures.ts', import.meta.url),
  clusters: () => new URL('../worker-clusters.ts', import.meta.url),
  control: () => new URL('../worker-control.ts', import.meta.url),
  crowds: () => new URL('../worker-crowds.ts', import.meta.url),
  deferred: () => new URL('../worker-deferred.ts', import.meta.url),
  deformers: () => new URL('../worker-deformers.ts', import.meta.url),
  fences: () => new URL('../worker-fences.ts', import.meta.url),
  graph: () => new URL('../worker-graph.ts', import.meta.url),
  environment: () => new URL('../worker-environment.ts', import.meta.url),
  facing: () => new URL('../worker-facing.ts', import.meta.url),
  images: () => new URL('../worker-images.ts', import.meta.url),
  lods: () => new URL('../worker-lods.ts', import.meta.url),
  modules: () => new URL('../worker-modules.ts', import.meta.url),
  motion: () => new URL('../worker-motion.ts', import.meta.url),
  null: () => new URL('../worker-null.ts', import.meta.url),
  occlusion: () => new URL('../worker-occlusion.ts', import.meta.url),
  picking: () => new URL('../worker-picking.ts', import.meta.url),
  seldom: () => new URL('../worker-seldom.ts', import.meta.url),
  shaders: () => new URL('../worker-shaders.ts', import.meta.url),
  shared: () => new URL('../worker-shared.ts', import.meta.url),
  shadows: () => new URL('../worker-shadows.ts', import.meta.url),
  validation: () => new URL('../worker-validation.ts', import.meta.url),
  views: () => new URL('../worker-views.ts', import.meta.url),
  worlds: () => new URL('../worker-worlds.ts', import.meta.url),
};

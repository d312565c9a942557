// Addresses of the library's files, wherever the library was put. The `new URL('…', import.meta.url)` expressions are
// literal, because bundlers recognise a file in that form: they copy it and put its new address there. The build turns
// their `.ts` into `.js`.

import type { DecoderUrls } from '../../assets/loading/asset-protocol.js';
import { LIBRARY_FILES, type LibraryFile } from './library-files.js';
import { startModuleWorker } from './module-worker.js';

/** Files that pages may need besides `task-worker.js`, which `findTaskWorker` finds. */
type LocatedFile = Exclude<LibraryFile, 'tasks'>;

/** Resolves an address against the document; Next.js puts one without an origin in a literal's place. Node has no document. */
const resolveUrl = (url: string | URL): URL => new URL(String(url), globalThis.document?.baseURI);

/**
 * Addresses of the library's files, where the library can't know them by itself. A single URL is that of `worker.js`; the
 * other files (`asset-worker.js`, `task-worker.js`, `worker-tools.js` …) are then expected beside it. `blob:` and `data:`
 * URLs have no "beside": give each file that the page needs. Relative URLs are resolved against the document.
 */
export type WorkerUrl =
  | string
  | URL
  | ({ readonly engine: string | URL; readonly assets: string | URL } & Readonly<
      Partial<Record<LibraryFile, string | URL>>
    >);

/** Finds a file that the page has put elsewhere. @throws TypeError where it can't be known */
export type Locate = (file: LibraryFile) => URL;

/** Finds files as the option `workerUrl` says. */
export const locateBy =
  (override: WorkerUrl): Locate =>
  (file) => {
    const isOne = typeof override !== 'object' || override instanceof URL;
    const given = isOne ? undefined : override[file];
    if (given !== undefined) return resolveUrl(given);
    const engine = resolveUrl(isOne ? override : override.engine);
    return file === 'engine' ? engine : new URL(LIBRARY_FILES[file], engine);
  };

/** Returns the address of the task workers' script: beside the library, unless the page says otherwise. */
export function findTaskWorker(override?: string | URL): URL {
  return resolveUrl(override ?? new URL('../task-worker.ts', import.meta.url));
}

/**
 * Starts a module worker from a file. Runs on the main thread (nested workers get no animation frames).
 *
 * @throws ThreadError `worker-failed-to-start` where the page's policy allows neither the address nor a `blob:` for it
 */
export function createModuleWorker(file: LocatedFile, locate?: Locate): Worker {
  return startModuleWorker(findFile(file, locate).href);
}

/** Returns the address of a file. @throws TypeError where an override gives no place beside which it could be */
export function findFile(file: LocatedFile, locate?: Locate): URL {
  return locate?.(file) ?? resolveUrl(LOCATIONS[file]());
}

/** Returns the address of a file; an empty string where it can't be known. */
export function findFileOrNone(file: LocatedFile, locate?: Locate): string {
  try {
    return findFile(file, locate).href;
  } catch {
    return '';
  }
}

export const findDecoders = (locate?: Locate): DecoderUrls => ({
  basis: findFileOrNone('basis', locate),
  draco: findFileOrNone('draco', locate),
  decoders: findFileOrNone('decoders', locate),
  assets: findFileOrNone('assets', locate),
});

const LOCATIONS: Readonly<Record<LocatedFile, () => URL>> = {
  engine: () => new URL('../worker.ts', import.meta.url),
  assets: () => new URL('../asset-worker.ts', import.meta.url),
  tools: () => new URL('../worker-tools.ts', import.meta.url),
  basis: () => new URL('../decoder-basis.ts', import.meta.url),
  draco: () => new URL('../decoder-draco.ts', import.meta.url),
  decoders: () => new URL('../decoders.ts', import.meta.url),
};

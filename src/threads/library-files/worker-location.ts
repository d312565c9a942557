// Finds the addresses of the library's files. The `new URL('…', import.meta.url)` expressions are literal,
// because bundlers recognise a file in that form: they copy it and insert its new address. The build turns
// their `.ts` into `.js`.

import type { DecoderUrls } from '../../assets/loading/asset-protocol.js';
import { LIBRARY_FILES, type LibraryFile } from './library-files.js';
import { startModuleWorker } from './module-worker.js';

/** Files that pages may need besides `task-worker.js`, which `findTaskWorker` finds. */
type LocatedFile = Exclude<LibraryFile, 'tasks'>;

/**
 * Resolves an address against the document, because Next.js replaces a literal `new URL` with an address without an
 * origin. Node has no document.
 */
const resolveUrl = (url: string | URL): URL => new URL(String(url), globalThis.document?.baseURI);

/**
 * Addresses of the library's files, if the library cannot find them itself. A single URL is the address of
 * `worker.js`. In an object, `engine` is this address. All files without an address of their own (`task-worker.js`,
 * `worker-tools.js` …) are expected next to `worker.js`. No file lies next to a `blob:` or `data:` URL, so pass the
 * address of each file that the page needs. Relative URLs are resolved against the document.
 */
export type WorkerUrl =
  | string
  | URL
  | ({ readonly engine: string | URL; readonly assets: string | URL } & Readonly<
      Partial<Record<LibraryFile, string | URL>>
    >);

/** Returns the address of a file that the page has moved. @throws TypeError if its address cannot be determined */
export type Locate = (file: LibraryFile) => URL;

/** Returns a function that finds files by the option `workerUrl`. */
export const locateBy =
  (override: WorkerUrl): Locate =>
  (file) => {
    const isSingleUrl = typeof override !== 'object' || override instanceof URL;
    const given = isSingleUrl ? undefined : override[file];
    if (given !== undefined) return resolveUrl(given);
    const engine = resolveUrl(isSingleUrl ? override : override.engine);
    return file === 'engine' ? engine : new URL(LIBRARY_FILES[file], engine);
  };

/**
 * Returns the address of the task workers' script. It lies next to the library, unless the page passes its address.
 */
export function findTaskWorker(override?: string | URL): URL {
  return resolveUrl(override ?? new URL('../task-worker.ts', import.meta.url));
}

/**
 * Starts a module worker from a file. Call it on the main thread, because nested workers get no animation frames.
 *
 * @throws ThreadError `worker-failed-to-start`, for the reasons of `startModuleWorker`; TypeError as `findFile`
 */
export function createModuleWorker(file: LocatedFile, locate?: Locate): Worker {
  return startModuleWorker(findFile(file, locate).href);
}

/** Returns the address of a file. @throws TypeError if the file would lie next to a `blob:` or `data:` URL */
export function findFile(file: LocatedFile, locate?: Locate): URL {
  return locate?.(file) ?? resolveUrl(LOCATIONS[file]());
}

/** Returns the address of a file; an empty string if it is unknown. */
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
});

const LOCATIONS: Readonly<Record<LocatedFile, () => URL>> = {
  engine: () => new URL('../worker.ts', import.meta.url),
  assets: () => new URL('../asset-worker.ts', import.meta.url),
  tools: () => new URL('../worker-tools.ts', import.meta.url),
  basis: () => new URL('../decoder-basis.ts', import.meta.url),
  draco: () => new URL('../decoder-draco.ts', import.meta.url),
  decoders: () => new URL('../decoders.ts', import.meta.url),
};

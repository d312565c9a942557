import { LIBRARY_FILES } from './library-files.js';
import { resolveUrl } from './resolve-url.js';
import type { Locate, WorkerUrl } from './worker-location.js';

/** Finds files that the page has put elsewhere: the option `workerUrl`. */
export const locateBy =
  (override: WorkerUrl): Locate =>
  (file) => {
    const isOne = typeof override !== 'object' || override instanceof URL;
    const given = isOne ? undefined : override[file];
    if (given !== undefined) return resolveUrl(given);
    const engine = resolveUrl(isOne ? override : override.engine);
    return file === 'engine' ? engine : new URL(LIBRARY_FILES[file], engine);
  };

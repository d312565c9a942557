import { ThreadError } from './errors.js';

/** Put in by the build (`scripts/build.mjs`). */
declare const FENCEPOST_BUILD: string | undefined;

/**
 * Tells one build of the package from another: the version and a hash of the sources. Threads exchange structures that no
 * other build knows, so the files of a page have to be of one build. Modules that were not built are all of one.
 */
export const BUILD: string = typeof FENCEPOST_BUILD === 'undefined' ? 'source' : FENCEPOST_BUILD;

/** @param asker who has loaded `file` */
export function buildsDiffer(file: string, build: unknown, asker: string, ofAsker: unknown): ThreadError {
  const name = (id: unknown): string =>
    typeof id === 'string' ? `build ${id}` : 'a build that does not name itself';
  return new ThreadError(
    'builds-differ',
    `${file} is of ${name(build)}, and ${asker} of ${name(ofAsker)}. Serve all files from the dist/ of one build, check workerUrl, and let caches give up the older ones.`,
  );
}

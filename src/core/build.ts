import { ThreadError } from './errors.js';

/** The id of the build, which `scripts/build.mjs` inserts. */
declare const FENCEPOST_BUILD: string | undefined;

/**
 * Identifies the build of the package: its version and a hash of the sources. Threads exchange structures that other
 * builds don't know, so all files of a page must come from one build. Modules that run from source have the id
 * `source`.
 */
export const BUILD: string = typeof FENCEPOST_BUILD === 'undefined' ? 'source' : FENCEPOST_BUILD;

/** Creates the error for files of different builds. @param loader the part that has loaded `file`, as a noun */
export function buildsDiffer(
  file: string,
  build: unknown,
  loader: string,
  loaderBuild: unknown,
): ThreadError {
  const name = (id: unknown): string => (typeof id === 'string' ? `build ${id}` : 'a build without an id');
  return new ThreadError(
    'builds-differ',
    `${file} comes from ${name(build)}, but ${loader} from ${name(loaderBuild)}. Serve all files from the dist/ of one build, check workerUrl, and clear caches of older files.`,
  );
}

/** Put in by the build (`scripts/build.mjs`). */
declare const FENCEPOST_BUILD: string | undefined;

/**
 * Tells one build of the package from another: the version and a hash of the sources. Threads exchange structures that no
 * other build knows, so the files of a page have to be of one build. Modules that were not built are all of one.
 */
export const BUILD: string = typeof FENCEPOST_BUILD === 'undefined' ? 'source' : FENCEPOST_BUILD;

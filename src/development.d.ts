/**
 * Whether the page is built for development. The build puts `true` in its place in `development.js`, which bundlers take under the
 * package's condition `development`, and `false` in every other file, and drops what depends on it there:
 *
 *   if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'position');
 *
 * Where the sources run as they are, it is a global variable that tests set.
 */
declare var FENCEPOST_DEVELOPMENT: boolean | undefined;

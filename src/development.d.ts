/**
 * Whether the page is built for development. The build replaces it by `true` in `development.js`, which bundlers choose
 * by the package's condition `development`. It replaces it by `false` in every other file, and drops the code that
 * depends on it:
 *
 *   if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'position');
 *
 * When the sources run unbuilt, it is a global variable that tests set.
 */
declare var FENCEPOST_DEVELOPMENT: boolean | undefined;

/**
 * Whether the page is built for development. The build replaces this variable by `true` in `development.js`, which
 * bundlers choose by the package's condition `development`. In every other file the build replaces the variable by
 * `false`, and drops the code that depends on it:
 *
 *   if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'position');
 *
 * When the sources run unbuilt, `FENCEPOST_DEVELOPMENT` is a global variable that tests set.
 */
declare var FENCEPOST_DEVELOPMENT: boolean | undefined;

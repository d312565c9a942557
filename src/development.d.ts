/**
 * Whether the page is built for development. The build replaces this variable with `true` in `development.js`. Bundlers
 * choose that file through the package's export condition `development`. In every other file the build replaces the
 * variable with `false`, and drops the code that depends on it:
 *
 *   if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'position');
 *
 * When the sources run unbuilt, `FENCEPOST_DEVELOPMENT` is a global variable that tests set.
 */
declare var FENCEPOST_DEVELOPMENT: boolean | undefined;

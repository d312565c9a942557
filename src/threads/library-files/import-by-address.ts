/**
 * Imports a module by an address that is known only at run time. The comments keep bundlers from searching
 * their input for it. esbuild's minifier drops such comments, so in files for pages a footer declares this
 * function (`importByAddressPlugin` in `scripts/lib/esbuild-plugins.mjs`).
 */
export function importByAddress(url: string): Promise<{ readonly default?: unknown }> {
  // A template, because Vite's development server would otherwise add its client to the worker. That client
  // is meant for pages.
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ `${url}`);
}

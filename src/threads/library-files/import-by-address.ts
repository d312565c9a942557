/**
 * Imports a module by an address that is known at run time only. The comments keep bundlers from searching their input
 * for it. esbuild's minifier drops such comments, so in files for pages a footer declares this function
 * (`importByAddressPlugin` in `scripts/lib/esbuild-plugins.mjs`).
 */
export function importByAddress(url: string): Promise<{ readonly default?: unknown }> {
  // In a template: Vite's development server would otherwise add its client, which is meant for pages, to the worker.
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ `${url}`);
}

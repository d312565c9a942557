/**
 * Imports a module by an address that is known only at run time. The comments in the import keep bundlers from
 * searching their input for the module. esbuild's minifier drops such comments. So the build declares this function in
 * a footer of the files for pages (`importByAddressPlugin` in `scripts/lib/esbuild-plugins.mjs`).
 */
export function importByAddress(url: string): Promise<{ readonly default?: unknown }> {
  // Use a template string. Otherwise Vite's development server would add its client to the worker, and the client is
  // meant for pages.
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ `${url}`);
}

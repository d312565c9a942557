/** Files of dist/ beside `index.js`, by the names that the option `workerUrl` takes. */
export const LIBRARY_FILES = {
  engine: 'worker.js',
  assets: 'asset-worker.js',
  tasks: 'task-worker.js',
  tools: 'worker-tools.js',
  basis: 'decoder-basis.js',
  draco: 'decoder-draco.js',
  decoders: 'decoders.js',
} as const;

export type LibraryFile = keyof typeof LIBRARY_FILES;

/**
 * Modules of the files that a running thread loads by their address. Each entry of such a file (`worker-tools.ts` …) declares
 * its own here, as it offers it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled where the files are made
export interface LoadedFiles {}

export type LoadedFile = keyof LoadedFiles;

/**
 * Loads the tools of a thread from `worker-tools.js`; in `single` mode `single.js` has them. The declarations of the package
 * lack the entries, which no page needs to know.
 */
export type LoadTools = () => Promise<LoadedFiles extends { readonly tools: infer Tools } ? Tools : never>;

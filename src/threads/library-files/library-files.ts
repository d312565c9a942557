/** Files of dist/ next to `index.js`, by the names that the option `workerUrl` takes. */
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
 * Modules of the files that a running thread loads by their addresses. The entry point of each file (`worker-tools.ts`
 * …) adds its module to this interface.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the entry points add the members
export interface LoadedFiles {}

export type LoadedFile = keyof LoadedFiles;

/**
 * Loads the tools of a thread from `worker-tools.js`; in `single` mode they are part of `single.js`. The package's
 * type declarations omit the entries of `LoadedFiles`, so the tools have the type `never` there. No page needs them.
 */
export type LoadTools = () => Promise<LoadedFiles extends { readonly tools: infer Tools } ? Tools : never>;

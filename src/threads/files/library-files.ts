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

/** Modules of the files that a running thread loads by their address. */
export interface LoadedFiles {
  /** Captures, validation, the null backend, render modules, shared fences, named tasks. */
  readonly tools: typeof import('../calls/worker-tools-module.js');
  /** The asset worker's code, for pages that can't start the worker. */
  readonly assets: typeof import('../assets/asset-worker-module.js');
  /** Decodes Basis Universal textures. */
  readonly basis: typeof import('../../assets/decoders/basis.js');
  /** Decodes Draco meshes. */
  readonly draco: typeof import('../../assets/decoders/draco.js');
  /** Decodes the rest: meshoptimizer, other KTX2 textures, Zstandard, pictures of environment lights. */
  readonly decoders: typeof import('../assets/decoders-module.js');
}

export type LoadedFile = keyof LoadedFiles;

import type { Locate, WorkerUrl } from './worker-location.js';

/** Where workers are that the page has put elsewhere: the option `workerUrl`. Loaded where options are given. */
export const locateBy =
  (override: WorkerUrl): Locate =>
  (kind) => {
    const base = document.baseURI;
    const isOne = typeof override !== 'object' || override instanceof URL;
    const given = isOne ? undefined : override[kind];
    if (given !== undefined) return new URL(given, base);
    const engine = new URL(isOne ? override : override.engine, base);
    return kind === 'engine' ? engine : new URL(FILES[kind] ?? `worker-${kind}.js`, engine);
  };

/** Those that are not named as parts are. */
const FILES: Readonly<Partial<Record<Parameters<Locate>[0], string>>> = {
  assets: 'asset-worker.js',
  tasks: 'task-worker.js',
};

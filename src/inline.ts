/**
 * `fencepost/inline`: the same API with the sources of the workers in the main bundle. It is for pages whose bundler or
 * host can't serve the worker files beside the bundle. The page's policy (CSP) must allow `blob:` workers, and `data:`
 * workers in sandboxed frames. The decoders that few models need (`decoder-basis.js`, `decoder-draco.js`,
 * `decoders.js`) remain separate files.
 */
import assetWorkerSource from 'virtual:worker-source/asset-worker';
import taskWorkerSource from 'virtual:worker-source/task-worker';
import engineWorkerSource from 'virtual:worker-source/worker';
import toolsSource from 'virtual:worker-source/worker-tools';
import { createEngine as createEngineFromFiles, type EngineOptions, type WorkerUrl } from './index.js';
import { scriptUrl } from './threads/library-files/module-worker.js';

export * from './index.js';

/** Creates an engine like `createEngine` of `fencepost`, with the workers from the bundle itself. */
export const createEngine = ((target: HTMLElement, options: EngineOptions = {}) =>
  createEngineFromFiles(target, {
    ...options,
    workerUrl: options.workerUrl ?? inlineWorkerUrls(),
  })) as typeof createEngineFromFiles;

let urls: WorkerUrl | undefined;

/**
 * Returns URLs of the workers' sources. They are created on first use and kept, because restarted workers need them
 * again.
 */
function inlineWorkerUrls(): WorkerUrl {
  urls ??= {
    engine: scriptUrl(engineWorkerSource),
    assets: scriptUrl(assetWorkerSource),
    tasks: scriptUrl(taskWorkerSource),
    tools: scriptUrl(toolsSource),
    // Write these URLs as literals: bundlers find a file only by `new URL('…', import.meta.url)`.
    basis: new URL('./threads/decoder-basis.ts', import.meta.url),
    draco: new URL('./threads/decoder-draco.ts', import.meta.url),
    decoders: new URL('./threads/decoders.ts', import.meta.url),
  };
  return urls;
}

/**
 * `fencepost/inline`: the same API with the source of the worker files inside, for pages whose bundler or host can't serve
 * the worker files beside the bundle. It costs their bytes in the main bundle, and the policy of the page (CSP)
 * must allow `blob:` workers, and `data:` ones in sandboxed frames. The decoders that few files need (`decoder-basis.js`,
 * `decoder-draco.js`, `decoders.js`) stay files of their own.
 */
import assetWorkerSource from 'virtual:worker-source/asset-worker';
import taskWorkerSource from 'virtual:worker-source/task-worker';
import engineWorkerSource from 'virtual:worker-source/worker';
import toolsSource from 'virtual:worker-source/worker-tools';
import { createEngine as createEngineFromFiles, type EngineOptions, type WorkerUrl } from './index.js';
import { scriptUrl } from './threads/library-files/module-worker.js';

export * from './index.js';

/** As `createEngine` of `fencepost`, with the workers from the bundle itself. */
export const createEngine = ((target: HTMLElement, options: EngineOptions = {}) =>
  createEngineFromFiles(target, {
    ...options,
    workerUrl: options.workerUrl ?? inlineWorkerUrls(),
  })) as typeof createEngineFromFiles;

let urls: WorkerUrl | undefined;

/** Returns URLs of the workers' sources. Made on first use and kept: workers are started again from them. */
function inlineWorkerUrls(): WorkerUrl {
  urls ??= {
    engine: scriptUrl(engineWorkerSource),
    assets: scriptUrl(assetWorkerSource),
    tasks: scriptUrl(taskWorkerSource),
    tools: scriptUrl(toolsSource),
    // Literal, because bundlers recognise a file in this form.
    basis: new URL('./threads/decoder-basis.ts', import.meta.url),
    draco: new URL('./threads/decoder-draco.ts', import.meta.url),
    decoders: new URL('./threads/decoders.ts', import.meta.url),
  };
  return urls;
}

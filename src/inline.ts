/**
 * `fencepost/inline`: the same API with the source of all worker files inside, for pages whose bundler or host can't serve
 * the worker files beside the bundle. It costs their bytes in the main bundle, and the policy of the page (CSP)
 * must allow `blob:` workers.
 */
import assetWorkerSource from 'virtual:worker-source/asset-worker';
import engineWorkerSource from 'virtual:worker-source/worker';
import featuresSource from 'virtual:worker-source/worker-features';
import imagesSource from 'virtual:worker-source/worker-images';
import { createEngine as createEngineFromFiles } from './index.js';

export * from './index.js';

/** As `createEngine` of `fencepost`, with the workers from the bundle itself. */
export const createEngine: typeof createEngineFromFiles = (target, options = {}) =>
  createEngineFromFiles(target, { ...options, workerUrl: options.workerUrl ?? inlineWorkerUrls() });

type WorkerUrls = Record<'engine' | 'assets' | 'features' | 'images', string>;

let urls: WorkerUrls | undefined;

/** `blob:` URLs of the workers, made on first use and kept: workers are started again from them. */
function inlineWorkerUrls(): WorkerUrls {
  urls ??= {
    engine: toUrl(engineWorkerSource),
    assets: toUrl(assetWorkerSource),
    features: toUrl(featuresSource),
    images: toUrl(imagesSource),
  };
  return urls;
}

function toUrl(source: string): string {
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
}

/**
 * `fencepost/inline`: the same API with the source of all worker files inside, for pages whose bundler or host can't serve
 * the worker files beside the bundle. It costs their bytes in the main bundle, and the policy of the page (CSP)
 * must allow `blob:` workers.
 */
import assetWorkerSource from 'virtual:worker-source/asset-worker';
import engineWorkerSource from 'virtual:worker-source/worker';
import capturesSource from 'virtual:worker-source/worker-captures';
import imagesSource from 'virtual:worker-source/worker-images';
import modulesSource from 'virtual:worker-source/worker-modules';
import motionSource from 'virtual:worker-source/worker-motion';
import nullBackendSource from 'virtual:worker-source/worker-null';
import validationSource from 'virtual:worker-source/worker-validation';
import { createEngine as createEngineFromFiles } from './index.js';
import type { WorkerKind } from './threads/main/worker-location.js';

export * from './index.js';

/** As `createEngine` of `fencepost`, with the workers from the bundle itself. */
export const createEngine: typeof createEngineFromFiles = (target, options = {}) =>
  createEngineFromFiles(target, { ...options, workerUrl: options.workerUrl ?? inlineWorkerUrls() });

type WorkerUrls = Record<WorkerKind, string>;

let urls: WorkerUrls | undefined;

/** `blob:` URLs of the workers, made on first use and kept: workers are started again from them. */
function inlineWorkerUrls(): WorkerUrls {
  urls ??= {
    engine: toUrl(engineWorkerSource),
    assets: toUrl(assetWorkerSource),
    captures: toUrl(capturesSource),
    images: toUrl(imagesSource),
    modules: toUrl(modulesSource),
    motion: toUrl(motionSource),
    null: toUrl(nullBackendSource),
    validation: toUrl(validationSource),
  };
  return urls;
}

function toUrl(source: string): string {
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
}

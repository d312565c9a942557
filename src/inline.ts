/**
 * `fencepost/inline`: the same API with the source of all worker files inside, for pages whose bundler or host can't serve
 * the worker files beside the bundle. It costs their bytes in the main bundle, and the policy of the page (CSP)
 * must allow `blob:` workers, and `data:` ones in sandboxed frames. What only some files ask for (`worker-basis.js`, `worker-draco.js`, `worker-faces.js`,
 * `worker-ktx2.js`) stay files of their own.
 */
import assetWorkerSource from 'virtual:worker-source/asset-worker';
import taskWorkerSource from 'virtual:worker-source/task-worker';
import engineWorkerSource from 'virtual:worker-source/worker';
import blendingSource from 'virtual:worker-source/worker-blending';
import bundlesSource from 'virtual:worker-source/worker-bundles';
import capturesSource from 'virtual:worker-source/worker-captures';
import clustersSource from 'virtual:worker-source/worker-clusters';
import controlSource from 'virtual:worker-source/worker-control';
import crowdsSource from 'virtual:worker-source/worker-crowds';
import decodingSource from 'virtual:worker-source/worker-decoding';
import deferredSource from 'virtual:worker-source/worker-deferred';
import deformersSource from 'virtual:worker-source/worker-deformers';
import environmentSource from 'virtual:worker-source/worker-environment';
import facingSource from 'virtual:worker-source/worker-facing';
import fencesSource from 'virtual:worker-source/worker-fences';
import graphSource from 'virtual:worker-source/worker-graph';
import imagesSource from 'virtual:worker-source/worker-images';
import lodsSource from 'virtual:worker-source/worker-lods';
import meshoptSource from 'virtual:worker-source/worker-meshopt';
import modulesSource from 'virtual:worker-source/worker-modules';
import motionSource from 'virtual:worker-source/worker-motion';
import namedSource from 'virtual:worker-source/worker-named';
import nullBackendSource from 'virtual:worker-source/worker-null';
import occlusionSource from 'virtual:worker-source/worker-occlusion';
import pickingSource from 'virtual:worker-source/worker-picking';
import seldomSource from 'virtual:worker-source/worker-seldom';
import shadersSource from 'virtual:worker-source/worker-shaders';
import shadowsSource from 'virtual:worker-source/worker-shadows';
import sharedSource from 'virtual:worker-source/worker-shared';
import validationSource from 'virtual:worker-source/worker-validation';
import viewsSource from 'virtual:worker-source/worker-views';
import worldsSource from 'virtual:worker-source/worker-worlds';
import { createEngine as createEngineFromFiles, type EngineOptions } from './index.js';
import { findAssetFile } from './threads/main/asset-worker-location.js';
import { scriptUrl } from './threads/main/module-worker.js';
import type { AssetPartName, WorkerKind } from './threads/main/worker-location.js';

export * from './index.js';

/** As `createEngine` of `fencepost`, with the workers from the bundle itself. */
export const createEngine = ((target: HTMLElement, options: EngineOptions = {}) =>
  createEngineFromFiles(target, {
    ...options,
    workerUrl: options.workerUrl ?? inlineWorkerUrls(),
  })) as typeof createEngineFromFiles;

type WorkerUrls = Record<WorkerKind | 'tasks', string>;

let urls: WorkerUrls | undefined;

/** URLs of the workers' sources, made on first use and kept: workers are started again from them. */
function inlineWorkerUrls(): WorkerUrls {
  urls ??= {
    engine: scriptUrl(engineWorkerSource),
    assets: scriptUrl(assetWorkerSource),
    basis: fileBeside('basis'),
    blending: scriptUrl(blendingSource),
    bundles: scriptUrl(bundlesSource),
    captures: scriptUrl(capturesSource),
    clusters: scriptUrl(clustersSource),
    control: scriptUrl(controlSource),
    crowds: scriptUrl(crowdsSource),
    decoding: scriptUrl(decodingSource),
    deferred: scriptUrl(deferredSource),
    deformers: scriptUrl(deformersSource),
    draco: fileBeside('draco'),
    fences: scriptUrl(fencesSource),
    graph: scriptUrl(graphSource),
    environment: scriptUrl(environmentSource),
    faces: fileBeside('faces'),
    facing: scriptUrl(facingSource),
    images: scriptUrl(imagesSource),
    ktx2: fileBeside('ktx2'),
    lods: scriptUrl(lodsSource),
    meshopt: scriptUrl(meshoptSource),
    modules: scriptUrl(modulesSource),
    motion: scriptUrl(motionSource),
    named: scriptUrl(namedSource),
    null: scriptUrl(nullBackendSource),
    occlusion: scriptUrl(occlusionSource),
    picking: scriptUrl(pickingSource),
    seldom: scriptUrl(seldomSource),
    shaders: scriptUrl(shadersSource),
    shared: scriptUrl(sharedSource),
    shadows: scriptUrl(shadowsSource),
    tasks: scriptUrl(taskWorkerSource),
    validation: scriptUrl(validationSource),
    views: scriptUrl(viewsSource),
    worlds: scriptUrl(worldsSource),
  };
  return urls;
}

const fileBeside = (kind: AssetPartName): string => findAssetFile(kind).href;

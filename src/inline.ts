/**
 * `fencepost/inline`: the same API with the source of all worker files inside, for pages whose bundler or host can't serve
 * the worker files beside the bundle. It costs their bytes in the main bundle, and the policy of the page (CSP)
 * must allow `blob:` workers. What only some files ask for (`worker-basis.js`, `worker-draco.js`, `worker-faces.js`,
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

/** `blob:` URLs of the workers, made on first use and kept: workers are started again from them. */
function inlineWorkerUrls(): WorkerUrls {
  urls ??= {
    engine: toUrl(engineWorkerSource),
    assets: toUrl(assetWorkerSource),
    basis: fileBeside('basis'),
    blending: toUrl(blendingSource),
    bundles: toUrl(bundlesSource),
    captures: toUrl(capturesSource),
    clusters: toUrl(clustersSource),
    control: toUrl(controlSource),
    crowds: toUrl(crowdsSource),
    decoding: toUrl(decodingSource),
    deferred: toUrl(deferredSource),
    deformers: toUrl(deformersSource),
    draco: fileBeside('draco'),
    fences: toUrl(fencesSource),
    graph: toUrl(graphSource),
    environment: toUrl(environmentSource),
    faces: fileBeside('faces'),
    facing: toUrl(facingSource),
    images: toUrl(imagesSource),
    ktx2: fileBeside('ktx2'),
    lods: toUrl(lodsSource),
    meshopt: toUrl(meshoptSource),
    modules: toUrl(modulesSource),
    motion: toUrl(motionSource),
    named: toUrl(namedSource),
    null: toUrl(nullBackendSource),
    occlusion: toUrl(occlusionSource),
    picking: toUrl(pickingSource),
    seldom: toUrl(seldomSource),
    shaders: toUrl(shadersSource),
    shared: toUrl(sharedSource),
    shadows: toUrl(shadowsSource),
    tasks: toUrl(taskWorkerSource),
    validation: toUrl(validationSource),
    views: toUrl(viewsSource),
    worlds: toUrl(worldsSource),
  };
  return urls;
}

const fileBeside = (kind: AssetPartName): string => findAssetFile(kind).href;

function toUrl(source: string): string {
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
}

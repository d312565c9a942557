/** The parts (`thread-parts.ts`) of threads that are the main thread: `single` mode. Each is a chunk of its own. */

import { part } from '../../core/lazily.js';
import type { LoadPart, ThreadPartModules, ThreadPartName } from '../control/thread-parts.js';

const PARTS: { readonly [Name in ThreadPartName]: () => Promise<ThreadPartModules[Name]> } = {
  basis: () => import('../parts/basis.js'),
  blending: () => import('../parts/blending.js'),
  bundles: () => import('../parts/bundles.js'),
  captures: () => import('../parts/captures.js'),
  clusters: () => import('../parts/clusters.js'),
  control: () => import('../parts/control.js'),
  crowds: () => import('../parts/crowds.js'),
  decoding: () => import('../parts/decoding.js'),
  deferred: () => import('../parts/deferred.js'),
  deformers: () => import('../parts/deformers.js'),
  draco: () => import('../parts/draco.js'),
  faces: () => import('../parts/faces.js'),
  fences: () => import('../parts/fences.js'),
  graph: () => import('../parts/graph.js'),
  environment: () => import('../parts/environment.js'),
  facing: () => import('../parts/facing.js'),
  images: () => import('../parts/images.js'),
  ktx2: () => import('../parts/ktx2.js'),
  lods: () => import('../parts/lods.js'),
  meshopt: () => import('../parts/meshopt.js'),
  modules: () => import('../parts/modules.js'),
  motion: () => import('../parts/motion.js'),
  named: () => import('../parts/named.js'),
  null: () => import('../parts/null.js'),
  occlusion: () => import('../parts/occlusion.js'),
  picking: () => import('../parts/picking.js'),
  seldom: () => import('../parts/seldom.js'),
  shaders: () => import('../parts/shaders.js'),
  shared: () => import('../parts/shared.js'),
  shadows: () => import('../parts/shadows.js'),
  validation: () => import('../parts/validation.js'),
  views: () => import('../parts/views.js'),
  worlds: () => import('../parts/worlds.js'),
};

/** Rejects with PlatformError `part-missing`. */
export const loadLocalPart: LoadPart = (name) => part(name, PARTS[name]());

/** The parts (`thread-parts.ts`) of threads that are the main thread: `single` mode. Each is a chunk of its own. */
import type { LoadPart, ThreadPartModules, ThreadPartName } from '../control/thread-parts.js';
import { part } from './lazily.js';

const PARTS: { readonly [Name in ThreadPartName]: () => Promise<ThreadPartModules[Name]> } = {
  captures: () => import('../parts/captures.js'),
  images: () => import('../parts/images.js'),
  modules: () => import('../parts/modules.js'),
  motion: () => import('../parts/motion.js'),
  null: () => import('../parts/null.js'),
  validation: () => import('../parts/validation.js'),
};

/** Rejects with PlatformError `part-missing`. */
export const loadLocalPart: LoadPart = (name) => part(PARTS[name]());

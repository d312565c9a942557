/**
 * Entry point of the file that a worker of the engine loads with the first texture (`images.ts`). One file without
 * imports, as `worker.ts` is.
 */

import { WORKER_PARTS } from './control/messages.js';
import * as images from './render-worker/images.js';

Object.assign(globalThis, { [Symbol.for(WORKER_PARTS.images)]: images });

/**
 * Entry point of the file that a worker of the engine loads with the first texture (`images.ts`). One file without
 * imports, as `worker.ts` is.
 */
import * as images from './images.js';
import { WORKER_PARTS } from './messages.js';

Object.assign(globalThis, { [Symbol.for(WORKER_PARTS.images)]: images });

/**
 * Entry point of the file that a worker of the engine loads when something asks for it (`features.ts`). One file
 * without imports, as `worker.ts` is.
 */
import * as features from './control/features.js';
import { WORKER_PARTS } from './control/messages.js';

Object.assign(globalThis, { [Symbol.for(WORKER_PARTS.features)]: features });

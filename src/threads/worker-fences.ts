/** Entry point of the file that a worker loads for fences. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/fences.js';

offerPart('fences', part);

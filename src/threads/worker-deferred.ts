/** Entry point of the file that a worker loads for the deferred renderer. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/deferred.js';

offerPart('deferred', part);

/** Entry point of the file that a worker loads for draw bundles. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/bundles.js';

offerPart('bundles', part);

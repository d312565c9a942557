/** Entry point of the file that a worker loads for picking. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/picking.js';

offerPart('picking', part);

/** Entry point of the file that a worker loads for levels of detail. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/lods.js';

offerPart('lods', part);

/** Entry point of the file that a worker loads for streams in shared memory. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/shared.js';

offerPart('shared', part);

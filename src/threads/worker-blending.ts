/** Entry point of the file that a worker loads for what is blended. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/blending.js';

offerPart('blending', part);

/** Entry point of the file that a worker loads for thousands of primitives. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/crowds.js';

offerPart('crowds', part);

/** Entry point of the file that a worker loads for light from all around. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/environment.js';

offerPart('environment', part);

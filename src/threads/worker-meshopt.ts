/** Entry point of the file that the asset worker loads for buffers of meshoptimizer. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/meshopt.js';

offerPart('meshopt', part);

/** Entry point of the file that a worker loads for hundreds of lights. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/clusters.js';

offerPart('clusters', part);

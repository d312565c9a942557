/** Entry point of the file that a worker loads for occlusion culling. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/occlusion.js';

offerPart('occlusion', part);

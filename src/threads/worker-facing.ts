/** Entry point of the file that a worker loads for what faces the camera. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/facing.js';

offerPart('facing', part);

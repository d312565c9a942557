/** Entry point of the file that a worker loads for captures and the flight recorder. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/captures.js';

offerPart('captures', part);

/** Entry point of the file that a worker loads for skins. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/skins.js';

offerPart('skins', part);

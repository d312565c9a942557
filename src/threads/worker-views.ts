/** Entry point of the file that a worker loads for further views. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/views.js';

offerPart('views', part);

/** Entry point of the file that a worker loads for the backend without a GPU. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/null.js';

offerPart('null', part);

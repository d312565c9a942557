/** Entry point of the file that a worker loads for the checks of RHI commands. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/validation.js';

offerPart('validation', part);

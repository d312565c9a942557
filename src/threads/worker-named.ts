/** Entry point of the file that a worker loads to be sent tasks by its name. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/named.js';

offerPart('named', part);

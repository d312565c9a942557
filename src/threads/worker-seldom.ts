/** Entry point of the file that a worker loads for what executors seldom need. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/seldom.js';

offerPart('seldom', part);

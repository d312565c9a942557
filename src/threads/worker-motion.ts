/** Entry point of the file that a worker loads for declared motion. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/motion.js';

offerPart('motion', part);

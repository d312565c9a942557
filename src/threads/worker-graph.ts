/** Entry point of the file that a worker loads for the frame graph of users. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/graph.js';

offerPart('graph', part);

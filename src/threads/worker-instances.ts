/** Entry point of the file that a worker loads for colours of instances. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/instances.js';

offerPart('instances', part);

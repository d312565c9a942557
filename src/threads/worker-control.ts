/** Entry point of the file that a worker loads for the control plane. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/control.js';

offerPart('control', part);

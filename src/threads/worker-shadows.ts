/** Entry point of the file that a worker loads for shadows. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/shadows.js';

offerPart('shadows', part);

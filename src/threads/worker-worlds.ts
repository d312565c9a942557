/** Entry point of the file that a worker loads for further worlds. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/worlds.js';

offerPart('worlds', part);

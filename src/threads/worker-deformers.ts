/** Entry point of the file that a worker loads for skins and morph targets. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/deformers.js';

offerPart('deformers', part);

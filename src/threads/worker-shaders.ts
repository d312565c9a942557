/** Entry point of the file that a worker loads for shaders of pages. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/shaders.js';

offerPart('shaders', part);

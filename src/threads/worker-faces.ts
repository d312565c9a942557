/** Entry point of the file that the asset worker loads for pictures of light from all around. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/faces.js';

offerPart('faces', part);

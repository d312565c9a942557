/** Entry point of the file that the asset worker loads for meshes of Draco. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/draco.js';

offerPart('draco', part);

/** Entry point of the file that the asset worker loads for pictures of Basis Universal. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/basis.js';

offerPart('basis', part);

/** Entry point of the file that the asset worker loads for KTX2 files other than Basis Universal's. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/ktx2.js';

offerPart('ktx2', part);

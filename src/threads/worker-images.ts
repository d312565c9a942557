/** Entry point of the file that a worker loads for textures with images. One file without imports, as `worker.ts` is. */
import { offerPart } from './control/load-part.js';
import * as part from './parts/images.js';

offerPart('images', part);

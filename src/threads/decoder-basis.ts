/** Entry point of the file that decodes Basis Universal textures. One file without imports, as `worker.ts` is. */
import * as module from '../assets/decoders/basis.js';
import { offerFile } from './files/load-file.js';

offerFile('basis', module);

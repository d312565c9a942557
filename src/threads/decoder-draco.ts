/** Entry point of the file that decodes Draco meshes. One file without imports, as `worker.ts` is. */
import * as module from '../assets/decoders/draco.js';
import { offerFile } from './files/load-file.js';

offerFile('draco', module);

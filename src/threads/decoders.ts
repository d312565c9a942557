/**
 * Entry point of the file with the small decoders: meshoptimizer, KTX2 textures other than Basis Universal, Zstandard, pictures
 * of environment lights. One file without imports, as `worker.ts` is.
 */
import * as module from './assets/decoders-module.js';
import { offerFile } from './files/load-file.js';

offerFile('decoders', module);

/**
 * Entry point of the file with the small decoders: meshoptimizer, KTX2 textures other than Basis Universal, Zstandard,
 * and images of environment lights. It is built as one file without imports, like `worker.ts`.
 */
import * as environmentCube from '../assets/decoders/environment-cube.js';
import * as ktx2 from '../assets/decoders/ktx2.js';
import * as meshopt from '../assets/decoders/meshopt.js';
import { offerFile } from './library-files/load-file.js';

declare module './library-files/library-files.js' {
  interface LoadedFiles {
    /** The decoders that have no file of their own. */
    readonly decoders: typeof module;
  }
}

const module = { 'environment-cube': environmentCube, ktx2, meshopt };

offerFile('decoders', module);

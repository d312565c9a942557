/** Entry point of the file that decodes Basis Universal textures. One file without imports, as `worker.ts` is. */
import * as module from '../assets/decoders/basis.js';
import { offerFile } from './library-files/load-file.js';

declare module './library-files/library-files.js' {
  interface LoadedFiles {
    /** Decodes Basis Universal textures. */
    readonly basis: typeof module;
  }
}

offerFile('basis', module);

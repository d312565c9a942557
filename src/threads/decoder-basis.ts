/**
 * Entry point of the file that decodes Basis Universal textures. It is built as one file without imports, like
 * `worker.ts`.
 */
import * as module from '../assets/decoders/basis.js';
import { offerFile } from './library-files/load-file.js';

declare module './library-files/library-files.js' {
  interface LoadedFiles {
    /** Decodes Basis Universal textures. */
    readonly basis: typeof module;
  }
}

offerFile('basis', module);

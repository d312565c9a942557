/** Entry point of the file that decodes Draco meshes. It is built as one file without imports, like `worker.ts`. */
import * as module from '../assets/decoders/draco.js';
import { offerFile } from './library-files/load-file.js';

declare module './library-files/library-files.js' {
  interface LoadedFiles {
    /** Decodes Draco meshes. */
    readonly draco: typeof module;
  }
}

offerFile('draco', module);

/**
 * Entry point of the file with the tools of the engine's threads. It is built as one file without imports, like
 * `worker.ts`.
 */

import * as module from './calls/worker-tools-module.js';
import { offerFile } from './library-files/load-file.js';

declare module './library-files/library-files.js' {
  interface LoadedFiles {
    /** Captures, checks, traces, the null backend, render modules and more: see `calls/worker-tools-module.ts`. */
    readonly tools: typeof module;
  }
}

offerFile('tools', module);

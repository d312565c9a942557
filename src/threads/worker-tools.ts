/** Entry point of the file with the tools of the engine's threads. One file without imports, as `worker.ts` is. */
import { offerFile } from './files/load-file.js';
import * as module from './files/worker-tools-module.js';

offerFile('tools', module);

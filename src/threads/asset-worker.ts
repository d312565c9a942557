/**
 * Entry point of the asset worker: glTF parsing and image decoding, off the main thread. Workers of the engine's pool
 * help it with large files. A page that cannot start workers loads the script as a module.
 */

import type { AssetPort } from '../assets/loading/asset-protocol.js';
import * as module from './assets/asset-worker-module.js';
import { offerFile } from './library-files/load-file.js';

declare module './library-files/library-files.js' {
  interface LoadedFiles {
    /** The asset worker's code, for pages that cannot start the worker. */
    readonly assets: typeof module;
  }
}

if (!('DedicatedWorkerGlobalScope' in globalThis)) offerFile('assets', module);
else module.serveAssetsOn(self as unknown as AssetPort);

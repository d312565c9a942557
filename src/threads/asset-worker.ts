/**
 * Entry point of the asset worker: glTF parsing and image decoding, off the main thread. The worker's
 * helpers, which decode pieces of large files, run the same script. A page that cannot start workers loads the script
 * as a module.
 */

import { DECODING_HELPER, type DecodingRequest } from '../assets/decoding-workers/decoding-messages.js';
import { type DecodingPort, serveDecoding } from '../assets/decoding-workers/serve-decoding.js';
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
else if (self.name === DECODING_HELPER) {
  const begin = ({ data }: MessageEvent<DecodingRequest>): void => {
    if (data.kind !== 'begin') return;
    removeEventListener('message', begin);
    serveDecoding(self as unknown as DecodingPort, module.decodersAt(data.urls));
  };
  addEventListener('message', begin);
} else module.serveAssetsOn(self as unknown as AssetPort);

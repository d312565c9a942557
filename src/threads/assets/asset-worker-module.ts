/** The asset worker's code. It runs in the worker, or on a page that cannot start the worker. */

import type { Decoders, LoadDecoder } from '../../assets/decoders/decoders.js';
import { DECODING_HELPER } from '../../assets/decoding-workers/decoding-messages.js';
import { DecodingPool, helperCount } from '../../assets/decoding-workers/decoding-pool.js';
import { SharedDecoders } from '../../assets/decoding-workers/shared-decoders.js';
import type { AssetPort, DecoderUrls } from '../../assets/loading/asset-protocol.js';
import { serveAssets } from '../../assets/loading/serve-assets.js';
import { loadFile } from '../library-files/load-file.js';
import { startModuleWorker } from '../library-files/module-worker.js';

/** Returns a function that loads decoders from their files. */
export function decodersAt(urls: DecoderUrls): LoadDecoder {
  const load = async (name: keyof Decoders): Promise<unknown> => {
    if (name === 'basis' || name === 'draco') return loadFile(name, urls[name]);
    return (await loadFile('decoders', urls.decoders))[name];
  };
  return load as LoadDecoder;
}

/** Answers load requests that arrive through the port. */
export function serveAssetsOn(port: AssetPort): void {
  const shared = new SharedDecoders(
    (urls: DecoderUrls) =>
      new DecodingPool(
        urls,
        () => startModuleWorker(urls.assets, DECODING_HELPER),
        // Node 20 has no navigator, and no workers that could help.
        helperCount(globalThis.navigator?.hardwareConcurrency ?? 1),
      ),
  );
  serveAssets(port, {
    decodersAt: (urls, load) => shared.of(load, decodersAt(urls), urls),
    answers: () => shared.answers(),
  });
}

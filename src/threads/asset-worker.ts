/** Entry point of the asset worker: glTF parsing and image decoding, off the main thread. */
import { type AssetPort, serveAssets } from '../assets/asset-protocol.js';
import { SharedDecoders } from '../assets/shared-decoders.js';
import { partLoader } from './control/load-part.js';
import type { LoadPart } from './control/thread-parts.js';
import type { AssetPartName } from './main/worker-location.js';

// The DOM types give a worker's global scope the type of a window.
let loadPart: LoadPart<AssetPartName> | undefined;
const shared = new SharedDecoders(async () => {
  if (!loadPart) throw new Error('No load has begun.');
  return loadPart('decoding');
});
serveAssets(self as unknown as AssetPort, {
  decodersAt: (urls, load) => {
    loadPart ??= partLoader(urls);
    return shared.of(load, loadPart, urls);
  },
  answers: () => shared.answers(),
});

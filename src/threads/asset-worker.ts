/** Entry point of the asset worker: glTF parsing and image decoding, off the main thread. */
import { type AssetPort, serveAssets } from '../assets/asset-protocol.js';
import { partLoader } from './control/load-part.js';

// The DOM types give a worker's global scope the type of a window.
serveAssets(self as unknown as AssetPort, { decodersAt: partLoader });

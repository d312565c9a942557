/** Entry point of the asset worker: glTF parsing and image decoding, off the main thread. */
import { serveAssets } from '../assets/asset-protocol.js';

serveAssets(self);

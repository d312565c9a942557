/** The part that shares the decoding of files with helpers, loaded by the asset worker with the first file that has much of it. */
import type { DecoderUrls } from '../../assets/asset-protocol.js';
import { DecodingPool, helperCount } from '../../assets/decoding/decoding-pool.js';
import { startModuleWorker } from '../main/module-worker.js';

export const createDecodingPool = (urls: DecoderUrls): DecodingPool =>
  new DecodingPool(urls, () => startModuleWorker(urls.decoding), helperCount(navigator.hardwareConcurrency));

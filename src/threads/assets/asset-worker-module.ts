/** The asset worker's code. It runs in the worker, or on a page that cannot start the worker. */

import { DecodingPool, helperCount } from '../../assets/decoding-workers/decoding-pool.js';
import { RequestedHelpers } from '../../assets/decoding-workers/requested-helpers.js';
import { SharedDecoders } from '../../assets/decoding-workers/shared-decoders.js';
import type { AssetPort } from '../../assets/loading/asset-protocol.js';
import { serveAssets } from '../../assets/loading/serve-assets.js';
import { decodersAt } from './decoders-at.js';

/** Answers load requests that arrive through the port. */
export function serveAssetsOn(port: AssetPort): void {
  const requested = new RequestedHelpers(port);
  const shared = new SharedDecoders((urls, helpers) => {
    // Node 20 has no navigator, and no workers that could help.
    const most = Math.min(helpers, helperCount(globalThis.navigator?.hardwareConcurrency ?? 1));
    return new DecodingPool(urls, () => requested.request(), most);
  });
  serveAssets(port, {
    decodersAt: (urls, load) => shared.of(load, decodersAt(urls), urls),
    answers: () => shared.answers(),
    onHelperDeath: (number, reason) => requested.died(number, reason),
  });
}

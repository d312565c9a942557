import { TimelineEvent } from '../core/event-ring.js';
import { isKtx2 } from '../proxy/ktx2.js';
import type { AssetSource, EnvironmentImage } from '../proxy/scene-description.js';
import { AssetFiles } from './asset-files.js';
import type { LoadSceneOptions } from './load-scene.js';
import { decodeRadianceHdr } from './radiance-hdr.js';
import { decodeRadianceKtx2 } from './radiance-ktx2.js';

/** Fetches and decodes an equirectangular image or a cube of radiance. @throws AssetError */
export async function loadEnvironment(
  source: AssetSource,
  { signal, onProgress, events, number = 0, fetch: fetchFile = fetch, loadDecoder }: LoadSceneOptions,
): Promise<EnvironmentImage> {
  const files = new AssetFiles(source, {
    fetch: (input, init) => fetchFile(input, init),
    signal,
    onProgress,
  });
  const bytes = await files.readMain();
  const began = events?.begin(TimelineEvent.decode, 0) ?? 0;
  const image = isKtx2(bytes)
    ? await decodeRadianceKtx2(bytes, files.mainName, loadDecoder)
    : await decodeRadianceHdr(bytes, files.mainName);
  events?.end(TimelineEvent.decode, 0, began, number);
  return image;
}

import { TimelineEvent } from '../../core/events/event-ring.js';
import { isKtx2 } from '../../proxy/images/ktx2.js';
import type { AssetSource, CubePictures, EnvironmentImage } from '../../proxy/scene-description.js';
import { AssetFiles } from '../asset-files.js';
import { noDecoder } from '../decoders/decoders.js';
import { decodeRadianceHdr } from '../decoders/radiance-hdr.js';
import type { AssetLoadOptions } from '../textures/load-options.js';
import { loadFaces } from './cube-faces.js';
import { decodeRadianceKtx2 } from './radiance-ktx2.js';

/**
 * Fetches and decodes an equirectangular image or a cube, or decodes the pictures of a loaded file.
 * @throws AssetError
 */
export async function loadEnvironment(
  source: AssetSource | CubePictures,
  options: AssetLoadOptions,
): Promise<EnvironmentImage> {
  const { events, number = 0, loadDecoder, onWork } = options;
  if (source.kind === 'environment-cube') {
    const began = events?.begin(TimelineEvent.decode, 0) ?? 0;
    const { decodeFace } = await (loadDecoder ?? noDecoder)('environment-cube');
    const cube = await loadFaces(source, decodeFace);
    events?.end(TimelineEvent.decode, 0, began, number);
    return cube;
  }
  const files = new AssetFiles(source, options);
  const bytes = await files.readMain();
  const began = events?.begin(TimelineEvent.decode, 0) ?? 0;
  const image = isKtx2(bytes)
    ? await decodeRadianceKtx2(bytes, files.mainName, loadDecoder)
    : await decodeRadianceHdr(bytes, files.mainName, onWork);
  events?.end(TimelineEvent.decode, 0, began, number);
  return image;
}

import { TimelineEvent } from '../../core/events/event-ring.js';
import type { DecodedImage } from '../../proxy/images/decode-image.js';
import type { AssetSource } from '../../proxy/scene-description.js';
import { AssetFiles } from '../asset-files.js';
import { noDecoder } from '../decoders/decoders.js';
import { decodeTexture, type TextureUse } from './decode-texture.js';
import { decodeWithBrowser, imageMimeType } from './image-decoder.js';
import type { AssetLoadOptions } from './load-options.js';

/** Reads and decodes a texture file: KTX2, or a picture that the browser decodes. @throws AssetError, Error */
export async function loadTexture(
  source: AssetSource,
  options: AssetLoadOptions,
  use: TextureUse,
): Promise<DecodedImage> {
  const { events, number = 0, loadDecoder = noDecoder, deviceFeatures = [] } = options;
  const files = new AssetFiles(source, options);
  const bytes = await files.readMain();
  const began = events?.begin(TimelineEvent.decode, 0) ?? 0;
  const encoded = new Blob([bytes], { type: imageMimeType(bytes, '') });
  const decodeImage = options.decodeImage ?? decodeWithBrowser;
  const request = { file: files.mainName, decodeImage, loadDecoder, deviceFeatures, ...use };
  const image = await decodeTexture(encoded, request);
  events?.end(TimelineEvent.decode, 0, began, number);
  return image;
}

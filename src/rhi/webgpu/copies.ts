/** Copies between resources. */
import type { TextureRegion } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import type { Handler } from './parts.js';
import { bufferSide, extent, textureSide } from './transfers.js';

export const copyHandlers = {
  copyBufferToBuffer: (parts, { words, fields: at }) => {
    parts.outsidePass();
    const { resources, list } = parts;
    const source = resources.buffers.get(words[at]).gpu;
    const target = resources.buffers.get(words[at + 2]).gpu;
    if (!source || !target) return;
    list.current.copyBufferToBuffer(source, words[at + 1], target, words[at + 3], words[at + 4]);
  },
  copyBufferToTexture: (parts, { words, fields }) => {
    parts.outsidePass();
    const { resources, transfers, list } = parts;
    const source = resources.buffers.get(words[fields]).gpu;
    const target = transfers.texture(words[fields + 1]);
    if (!source || !target) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    list.current.copyBufferToTexture(bufferSide(source, region), textureSide(target, region), extent(region));
  },
  copyTextureToBuffer: (parts, { words, fields }) => {
    parts.outsidePass();
    const { resources, transfers, list } = parts;
    const target = resources.buffers.get(words[fields + 1]);
    // Until the copy is encoded: whatever fails on the way, a read-back must not pass off the bytes before it.
    target.isOutdated = true;
    const source = transfers.texture(words[fields]);
    if (source === null || target.gpu === null) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    list.current.copyTextureToBuffer(
      textureSide(source, region),
      bufferSide(target.gpu, region),
      extent(region),
    );
    target.isOutdated = false;
  },
  copyTextureToTexture: (parts, { words, fields }) => {
    parts.outsidePass();
    const { transfers, list } = parts;
    const source = transfers.texture(words[fields]);
    const target = transfers.texture(words[fields + 1]);
    if (!source || !target) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const from = { ...region, mipLevel: region.sourceMipLevel, origin: region.sourceOrigin };
    list.current.copyTextureToTexture(textureSide(source, from), textureSide(target, region), extent(region));
  },
} satisfies Record<string, Handler>;

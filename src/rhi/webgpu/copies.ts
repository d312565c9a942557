/** Copies between resources, and zeros into buffers. */
import type { TextureRegion } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import type { Handler } from './parts.js';
import { bufferSide, extent, textureSide } from './transfers.js';

export const copyHandlers = {
  clearBuffer: (parts, { words, fields: at }) => {
    parts.outsidePass();
    const target = parts.resources.buffers.get(words[at]).gpu;
    if (target) parts.list.current.clearBuffer(target, words[at + 1], words[at + 2]);
  },
  copyBufferToBuffer: (parts, { words, fields: at }) => {
    parts.outsidePass();
    const { resources, list } = parts;
    const source = resources.buffers.get(words[at]);
    const target = resources.buffers.get(words[at + 2]);
    if (!source.gpu || !target.gpu) return;
    const byteLength = words[at + 4];
    list.current.copyBufferToBuffer(source.gpu, words[at + 1], target.gpu, words[at + 3], byteLength);
    parts.outdated.copied(source, target, byteLength === target.byteLength);
  },
  copyBufferToTexture: (parts, { words, fields }) => {
    parts.outsidePass();
    const { resources, transfers, list } = parts;
    const source = resources.buffers.get(words[fields]).gpu;
    const target = transfers.texture(words[fields + 1]);
    if (!source || !target) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    list.current.copyBufferToTexture(bufferSide(source, region), textureSide(target, region), extent(region));
    const [from, to] = [resources.buffers.get(words[fields]), resources.textures.get(words[fields + 1])];
    parts.outdated.copied(from, to, false);
  },
  copyTextureToBuffer: (parts, { words, fields }) => {
    parts.outsidePass();
    const { resources, transfers, list } = parts;
    const target = resources.buffers.get(words[fields + 1]);
    // Until the copy is encoded: whatever fails on the way, a read-back must not pass off the bytes before it.
    target.outdated = 'the last copy into it failed. The error reported before it says why.';
    const source = transfers.texture(words[fields]);
    if (source === null || target.gpu === null) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    list.current.copyTextureToBuffer(
      textureSide(source, region),
      bufferSide(target.gpu, region),
      extent(region),
    );
    parts.outdated.copied(resources.textures.get(words[fields]), target, true);
  },
  copyTextureToTexture: (parts, { words, fields }) => {
    parts.outsidePass();
    const { resources, transfers, list } = parts;
    const source = transfers.texture(words[fields]);
    const target = transfers.texture(words[fields + 1]);
    if (!source || !target) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const from = { ...region, mipLevel: region.sourceMipLevel, origin: region.sourceOrigin };
    list.current.copyTextureToTexture(textureSide(source, from), textureSide(target, region), extent(region));
    const { textures } = resources;
    parts.outdated.copied(textures.get(words[fields]), textures.get(words[fields + 1]), false);
  },
} satisfies Record<string, Handler>;

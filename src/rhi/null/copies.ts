/** Copies between what buffers and textures hold. */
import type { TextureRegion } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import type { Handler } from './parts.js';

export const copyHandlers = {
  copyBufferToBuffer: ({ resources }, { words, fields: at }) => {
    const source = resources.contents(words[at]);
    const target = resources.contents(words[at + 2]);
    target.copyFrom(source, words[at + 1], words[at + 3], words[at + 4]);
  },
  copyBufferToTexture: ({ resources }, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const { texels } = resources.get(words[fields + 1]);
    const source = texels?.linearBox(resources.contents(words[fields]), region);
    const target = texels?.box(region.mipLevel, region.origin, region.aspect);
    if (source && target) texels?.copy(source, target, region);
  },
  copyTextureToBuffer: ({ resources }, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const { texels } = resources.get(words[fields]);
    const source = texels?.box(region.mipLevel, region.origin, region.aspect);
    const target = texels?.linearBox(resources.contents(words[fields + 1]), region);
    if (source && target) texels?.copy(source, target, region);
  },
  copyTextureToTexture: ({ resources }, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const { texels: from } = resources.get(words[fields]);
    const { texels: to } = resources.get(words[fields + 1]);
    const source = from?.box(region.sourceMipLevel, region.sourceOrigin, region.aspect);
    const target = to?.box(region.mipLevel, region.origin, region.aspect);
    if (source && target) to?.copy(source, target, region);
  },
} satisfies Record<string, Handler>;

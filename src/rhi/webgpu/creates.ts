/** Creates and destroys of resources. Fences and draw bundles are created in files of their own. */
import { descriptorAt, fieldWordsAt, stringAt } from '../commands/record-fields.js';
import { destroyGpuObject, type Handler } from './parts.js';

export const createHandlers = {
  createBuffer: ({ resources }, { words, fields }) =>
    resources.createBuffer(words[fields], descriptorAt(words, fields)),
  createTexture: ({ resources }, { words, fields }) =>
    resources.createTexture(words[fields], descriptorAt(words, fields)),
  createSampler: ({ resources }, { words, fields }) =>
    resources.createSampler(words[fields], descriptorAt(words, fields)),
  createShaderModule: ({ resources }, { words, fields }) => {
    const code = 1 + fieldWordsAt(words, fields + 1);
    resources.createShaderModule(words[fields], stringAt(words, fields, 1), stringAt(words, fields, code));
  },
  createBindGroupLayout: ({ resources }, { words, fields }) =>
    resources.createBindGroupLayout(words[fields], descriptorAt(words, fields)),
  createBindGroup: ({ resources, renaming }, { words, fields }) =>
    renaming.noteUses(resources.createBindGroup(words[fields], descriptorAt(words, fields))),
  createGraphicsPipeline: ({ resources }, { words, fields }) =>
    resources.createGraphicsPipeline(words[fields], descriptorAt(words, fields)),
  createComputePipeline: ({ resources }, { words, fields }) =>
    resources.createComputePipeline(words[fields], descriptorAt(words, fields)),
  createQuerySet: ({ resources }, { words, fields }) =>
    resources.createQuerySet(words[fields], descriptorAt(words, fields)),

  destroyResource: (parts, { words, fields }) => {
    const resource = parts.resources.take(words[fields]);
    if (resource !== undefined) parts.host.release(resource);
  },
  // Freed now, not when the list has completed (SYSTEMS M3): the destroy that follows finds nothing left to do. Only
  // buffers, textures and query sets have memory of their own.
  assumeNotInUse: ({ resources }, { words, fields }) => {
    const resource = resources.take(words[fields]);
    if (resource !== undefined) destroyGpuObject(resource);
  },
} satisfies Record<string, Handler>;

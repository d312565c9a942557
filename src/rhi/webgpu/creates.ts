/** Creates and destroys of resources. Fences and draw bundles are created in files of their own. */
import { handleKind, ResourceKind } from '../commands/handles.js';
import { descriptorAt, fieldWordsAt, stringAt } from '../commands/record-fields.js';
import { destroyGpuObject, type Handler } from './parts.js';

type Creation =
  | 'createBuffer'
  | 'createTexture'
  | 'createSampler'
  | 'createBindGroupLayout'
  | 'createGraphicsPipeline'
  | 'createComputePipeline'
  | 'createQuerySet';

const create =
  (method: Creation): Handler =>
  ({ resources }, { words, fields }) =>
    resources[method](words[fields], descriptorAt(words, fields));

/** They have no memory of their own, and are released apart from what has (SYSTEMS L2). */
const DESCRIPTORS: ReadonlySet<number> = /* @__PURE__ */ new Set([
  ResourceKind.bindGroup,
  ResourceKind.bindGroupLayout,
  ResourceKind.sampler,
]);

export const createHandlers = {
  createBuffer: create('createBuffer'),
  createTexture: create('createTexture'),
  createSampler: create('createSampler'),
  createShaderModule: ({ resources }, { words, fields }) => {
    const code = 1 + fieldWordsAt(words, fields + 1);
    resources.createShaderModule(words[fields], stringAt(words, fields, 1), stringAt(words, fields, code));
  },
  createBindGroupLayout: create('createBindGroupLayout'),
  createBindGroup: ({ resources, seldom }, { words, fields }) => {
    const group = resources.createBindGroup(words[fields], descriptorAt(words, fields));
    seldom?.renaming.noteUses(group);
  },
  createGraphicsPipeline: create('createGraphicsPipeline'),
  createComputePipeline: create('createComputePipeline'),
  createQuerySet: create('createQuerySet'),

  destroyResource: (parts, { words, fields }) => {
    const handle = words[fields];
    const resource = parts.resources.take(handle);
    if (resource !== undefined) parts.host.release(resource, DESCRIPTORS.has(handleKind(handle)));
  },
  // Freed now, not when the list has completed (SYSTEMS M3): the destroy that follows finds nothing left to do. Only
  // buffers, textures and query sets have memory of their own.
  assumeNotInUse: ({ resources }, { words, fields }) => {
    const resource = resources.take(words[fields]);
    if (resource !== undefined) destroyGpuObject(resource, resources.memory);
  },
} satisfies Record<string, Handler>;

/** The handlers of all commands. If a command has no handler, the code does not compile. */

import { fieldWordsAt, stringAt } from '../../core/records/record-fields.js';
import type { RhiOpcode } from '../commands/commands.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import { descriptorAt } from '../commands/resource-fields.js';
import { runLocalCommand } from '../execute/local-commands.js';
import { drawHandlers } from './passes/draws.js';
import { passHandlers } from './passes/passes.js';
import type { Resources } from './resources/resources.js';
import { outsidePass, transferHandlers } from './transfers/copies.js';
import type { Handler } from './webgpu-backend.js';

export type HandlersByName = { readonly [Name in keyof typeof RhiOpcode]: Handler };

type Creation = Exclude<keyof Resources & keyof HandlersByName, 'createShaderModule' | 'createBindGroup'>;

const create =
  (method: Creation): Handler =>
  ({ resources }, { words, fields }) =>
    resources[method](words[fields], descriptorAt(words, fields));

/** Kinds that are released through the queue of descriptors, because they own no GPU memory (SYSTEMS L2). */
const DESCRIPTORS: ReadonlySet<number> = /* @__PURE__ */ new Set([
  ResourceKind.bindGroup,
  ResourceKind.bindGroupLayout,
  ResourceKind.sampler,
]);

export const handlersByName: HandlersByName = {
  ...transferHandlers,
  ...passHandlers,
  ...drawHandlers,

  // Frames, the viewport, and commands with effects outside the list: the timeline's queues, local commands.
  beginFrame: ({ host }, { words, fields }) => host.beginFrame(words[fields], words[fields + 1]),
  endFrame: ({ host }) => host.endFrame(),
  beginDrawingViewport: (backend, { words, fields }) => {
    const { resources, viewport } = backend;
    if (backend.mustWaitForPipelines()) return;
    resources.textures.add(viewport.begin(words[fields], words[fields + 1], words[fields + 2]));
  },
  endDrawingViewport: ({ resources, viewport }, { words, fields }) => {
    resources.textures.take(words[fields]);
    viewport.end();
  },
  // WebGPU has one queue, so only the timeline shows the declared queue (SYSTEMS H6).
  setQueue: ({ rare }, { words, fields }) => {
    rare.timer.queue = words[fields];
  },
  // WebGPU makes its own barriers. The validation layer reads the command.
  transition: () => {},
  localCommand: ({ pass, list, options, device }, { words, fields }) => {
    // Inside a pass, the list can't be submitted. A local command in a pass therefore runs before the earlier commands
    // are submitted.
    if (!pass.isOpen) list.submit();
    runLocalCommand(words, fields, options.localCommands, device);
  },

  createBuffer: create('createBuffer'),
  createTexture: create('createTexture'),
  createSampler: create('createSampler'),
  createShaderModule: ({ resources }, { words, fields }) => {
    const code = 1 + fieldWordsAt(words, fields + 1);
    resources.createShaderModule(words[fields], stringAt(words, fields, 1), stringAt(words, fields, code));
  },
  createBindGroupLayout: create('createBindGroupLayout'),
  createBindGroup: ({ resources, rare }, { words, fields }) => {
    const group = resources.createBindGroup(words[fields], descriptorAt(words, fields));
    rare.renaming.noteUses(group);
  },
  createGraphicsPipeline: create('createGraphicsPipeline'),
  createComputePipeline: create('createComputePipeline'),
  createQuerySet: create('createQuerySet'),

  destroyResource: (backend, { words, fields }) => {
    const handle = words[fields];
    const resource = backend.resources.take(handle);
    if (resource !== undefined) backend.host.release(resource, DESCRIPTORS.has(handleKind(handle)));
  },
  // Frees the resource now instead of after the list's completion (SYSTEMS M3). The destroy that follows finds no
  // resource and does nothing.
  assumeNotInUse: (backend, { words, fields }) => {
    const resource = backend.resources.take(words[fields]);
    if (resource !== undefined) backend.free(resource);
  },

  createFence: (backend, record) => backend.rare.fences.create(record, backend.resources.frame),
  renameBuffer: (backend, { words, fields }) => backend.rare.renaming.rename(words[fields]),
  useSurface: (backend, { words, fields }) => backend.rare.surfaces.use(words[fields]),
  outputVideoFrame: (backend, { words, fields }) => backend.rare.videoFrames.request(words, fields),
  signalFence: outsidePass((backend, record) => backend.rare.fences.signal(record)),
  waitFence: outsidePass((backend, record) => backend.rare.fences.wait(record)),
  clearTexture: outsidePass((backend, record) => backend.rare.clears.clear(record)),
  createDrawBundle: (backend, record) => backend.bundles.create(record),
  executeDrawBundle: (backend, { words, fields }) => backend.bundles.execute(words[fields]),
};

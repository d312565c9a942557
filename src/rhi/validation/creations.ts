/**
 * Builds the models of resources from their creation records. The values of descriptors are not checked, because WebGPU
 * reports invalid values itself.
 */

import { stringAt } from '../../core/records/record-fields.js';
import { readLong } from '../../core/records/wide-words.js';
import type {
  BindGroupDescriptor,
  BindGroupLayoutDescriptor,
  BufferDescriptor,
  GraphicsPipelineDescriptor,
  TextureDescriptor,
} from '../commands/descriptors.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { describeHandle, handleKind, type ResourceKind } from '../commands/handles.js';
import { DYNAMIC_PAGE_LABEL } from '../memory/dynamic-buffers.js';
import { bundleAt, bundleFault, countDraws } from '../record/draw-bundle.js';
import { groupBit, vertexBufferBit } from './draws.js';
import type { RecordCheck } from './record-check.js';
import type { Checks } from './rules.js';
import { type Model, type Models, nameOf, type Reference } from './state.js';

/**
 * Puts the model of a new resource into its slot. Returns null if the handle's kind is wrong or the slot has a live
 * resource. The model counts as failed until the record's last check has passed, so that a check that throws leaves a
 * failed resource.
 */
export function createModel(check: RecordCheck): Model | null {
  const { state, rule, words, at } = check;
  const handle = words[at];
  // The record may come from a faulty recorder, so its label may be no string.
  const label =
    rule.descriptorWord < 0
      ? stringAt(words, at, rule.lengthWord)
      : `${(check.descriptor as { readonly label: string }).label}`;
  if (handleKind(handle) !== rule.creates) {
    state.reportMissing([rule.creates as ResourceKind], handle);
    return null;
  }
  const other = state.models.last(handle);
  if (other?.isAlive) {
    state.report('handle-in-use', { resource: describeHandle(handle, label), other: nameOf(other) });
    return null;
  }
  const model = state.models.add(handle, label);
  model.isFailed = true;
  return model;
}

/**
 * Returns a list with the reference of a bind group's entry. The list is empty for samplers. It is also empty for an
 * entry whose type differs from the layout, because WebGPU reports this fault.
 */
function referenceOf(
  models: Models,
  { buffer, texture, storageTexture }: GPUBindGroupLayoutEntry,
  given: BindGroupDescriptor['entries'][number],
): Reference[] {
  if ('buffer' in given && buffer !== undefined) {
    const model = models.find(given.buffer) as Model;
    const { byteOffset = 0, byteLength = model.byteLength - byteOffset } = given;
    const usage = (buffer.type ?? 'uniform') === 'uniform' ? BufferUsage.uniform : BufferUsage.storage;
    return [{ model, usage, byteOffset, byteLength, isDynamic: buffer.hasDynamicOffset === true }];
  }
  if (!('view' in given) || (texture ?? storageTexture) === undefined) return [];
  const model = models.find(given.view.texture) as Model;
  const usage = texture === undefined ? TextureUsage.storageBinding : TextureUsage.textureBinding;
  return [{ model, usage, byteOffset: 0, byteLength: 0, isDynamic: false }];
}

function createPipeline({ state, model, descriptor }: RecordCheck): boolean {
  const { bindGroupLayouts, vertex } = descriptor as Partial<GraphicsPipelineDescriptor>;
  bindGroupLayouts?.forEach((layout, group) => {
    if ((state.models.find(layout) as Model).entries.length > 0) model.needs |= groupBit(group);
  });
  vertex?.buffers?.forEach((buffer, slot) => {
    if (buffer !== null) model.needs |= vertexBufferBit(slot);
  });
  return true;
}

/**
 * Completes the models of new resources, one function per command. The resources in the descriptor have been checked
 * before.
 */
export const creationChecks: Checks = {
  createBuffer({ model, descriptor }) {
    const { label, byteLength, usage } = descriptor as BufferDescriptor;
    model.byteLength = byteLength;
    model.usage = usage & BufferUsage.mapRead ? usage : usage | BufferUsage.copySource; // as the executor creates it
    // Larger pages are not tracked, because the array for an absurdly large page would not fit into memory.
    const isPage = label.startsWith(DYNAMIC_PAGE_LABEL) && byteLength <= 2 ** 28;
    if (isPage) model.writtenInList = new Int32Array(byteLength >> 2);
    return true;
  },

  createTexture({ model, descriptor }) {
    model.usage = (descriptor as TextureDescriptor).usage | TextureUsage.copySource; // as the executor creates it
    return true;
  },

  createBindGroupLayout({ model, descriptor }) {
    const { entries } = descriptor as BindGroupLayoutDescriptor;
    model.entries = [...entries].sort((a, b) => a.binding - b.binding);
    return true;
  },

  createBindGroup({ state, model, descriptor }) {
    const { layout, entries } = descriptor as BindGroupDescriptor;
    model.references = (state.models.find(layout) as Model).entries.flatMap((entry) => {
      const given = entries.find(({ binding }) => binding === entry.binding);
      return given === undefined ? [] : referenceOf(state.models, entry, given);
    });
    model.hasDynamicData = model.references.some((reference) => reference.model.writtenInList !== null);
    return true;
  },

  createFence({ model, words, at }) {
    model.value = readLong(words, at + 1);
    return true;
  },

  /** A bundle with any fault is dropped as a whole. */
  createDrawBundle({ state, model, words, at, fieldWords }) {
    const { commands } = bundleAt(words, at, fieldWords);
    const fault = bundleFault(commands);
    if (fault !== null) {
      const { code, command } = fault;
      const resource = nameOf(model);
      if (code !== 'bad-record') return state.report(code, { resource, command });
      return state.report(code, { reason: `${resource} holds words that are not records.` });
    }
    model.commands = commands.slice();
    model.draws = countDraws(commands);
    return true;
  },

  createGraphicsPipeline: createPipeline,
  createComputePipeline: createPipeline,
};

/** Creating bind groups: each entry against its binding of the layout, against usages, sizes and formats. */
import type { BindGroupDescriptor, BindGroupEntry, TextureViewDescriptor } from '../commands/descriptors.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import {
  type BindGroupModel,
  type BufferBinding,
  nameOf,
  type TextureBinding,
  type TextureView,
} from './models.js';
import { createModel } from './resources.js';
import type { Check, ValidationState } from './state.js';
import { ScopeUse } from './usage-scope.js';
import { resolveView } from './views.js';

/** The group being made. */
interface Draft {
  readonly state: ValidationState;
  readonly model: BindGroupModel;
  readonly layout: string;
  readonly buffers: BufferBinding[];
  readonly textures: TextureBinding[];
  readonly dynamicLimits: number[];
  readonly dynamicAlignments: number[];
}

export function createBindGroup(check: Check): boolean {
  const { state, words, at } = check;
  const descriptor = jsonAt<BindGroupDescriptor>(words, at, 1);
  const model = createModel(check, state.models.bindGroups, descriptor.label);
  if (model === null) return false;
  const layout = state.find(state.models.layouts, descriptor.layout);
  if (layout === null) return false;
  const draft: Draft = {
    state,
    model,
    layout: nameOf(layout),
    buffers: [],
    textures: [],
    dynamicLimits: [],
    dynamicAlignments: [],
  };
  const entries = new Map<number, BindGroupEntry>();
  const fault = (problem: string, binding: number): false =>
    state.report('bind-group-entries', { resource: nameOf(model), problem, binding, layout: draft.layout });
  for (const entry of descriptor.entries) {
    if (entries.has(entry.binding)) return fault('has two entries for', entry.binding);
    entries.set(entry.binding, entry);
  }
  for (const wanted of layout.entries) {
    const entry = entries.get(wanted.binding);
    if (entry === undefined) return fault('has no entry for', wanted.binding);
    entries.delete(wanted.binding);
    if (!checkEntry(draft, wanted, entry)) return false;
  }
  for (const binding of entries.keys()) return fault('has an entry for', binding);
  const { buffers, textures, dynamicLimits, dynamicAlignments } = draft;
  Object.assign(model, { layout, buffers, textures, dynamicLimits, dynamicAlignments, isFailed: false });
  model.hasDynamicData = buffers.some(({ buffer }) => buffer.writtenInList !== null);
  return true;
}

function checkEntry(draft: Draft, wanted: GPUBindGroupLayoutEntry, entry: BindGroupEntry): boolean {
  const needed = wanted.buffer ? 'buffer' : wanted.sampler ? 'sampler' : 'texture view';
  const given = 'buffer' in entry ? 'buffer' : 'sampler' in entry ? 'sampler' : 'texture view';
  if (given !== needed) {
    const names = { resource: nameOf(draft.model), layout: draft.layout };
    return draft.state.report('bind-group-kind', { ...names, given, binding: wanted.binding, needed });
  }
  if ('buffer' in entry) return wanted.buffer !== undefined && checkBuffer(draft, wanted.buffer, entry);
  if ('sampler' in entry)
    return checkSampler(draft, wanted.binding, wanted.sampler?.type ?? 'filtering', entry.sampler);
  if (wanted.storageTexture)
    return checkStorageTexture(draft, wanted.binding, wanted.storageTexture, entry.view);
  return checkTexture(draft, wanted.binding, wanted.texture ?? {}, entry.view);
}

function checkBuffer(
  { state, model, layout, ...draft }: Draft,
  { type = 'uniform', hasDynamicOffset = false, minBindingSize = 0 }: GPUBufferBindingLayout,
  { binding, buffer: handle, byteOffset = 0, byteLength }: Extract<BindGroupEntry, { buffer: unknown }>,
): boolean {
  const buffer = state.find(state.models.buffers, handle);
  if (buffer === null) return false;
  const isUniform = type === 'uniform';
  const usage = isUniform ? BufferUsage.uniform : BufferUsage.storage;
  if (!state.checkUsage(buffer, usage, `binding ${binding} of ${nameOf(model)}`)) return false;
  const alignment = state.limit(
    isUniform ? 'minUniformBufferOffsetAlignment' : 'minStorageBufferOffsetAlignment',
  );
  if (!state.checkAlignment(buffer, `offset of binding ${binding}`, byteOffset, alignment)) return false;
  const size = byteLength ?? buffer.byteLength - byteOffset;
  if (!state.checkRange(buffer, byteOffset, byteOffset + size)) return false;
  const maximum = state.limit(isUniform ? 'maxUniformBufferBindingSize' : 'maxStorageBufferBindingSize');
  const minimum = Math.max(1, minBindingSize);
  if (size < minimum || size > maximum) {
    const names = { resource: nameOf(model), buffer: nameOf(buffer), binding, layout };
    return state.report('binding-size', { ...names, size, minimum, maximum });
  }
  if (!isUniform && size % 4 !== 0) {
    return state.checkAlignment(buffer, `size of binding ${binding}`, size, 4);
  }
  const scopeUse = type === 'storage' ? ScopeUse.storage : ScopeUse.read;
  draft.buffers.push({ buffer, scopeUse, usage, byteOffset, byteLength: size, isDynamic: hasDynamicOffset });
  if (hasDynamicOffset) {
    draft.dynamicLimits.push(buffer.byteLength - byteOffset - size);
    draft.dynamicAlignments.push(alignment);
  }
  return true;
}

function checkSampler(
  { state, model, layout }: Draft,
  binding: number,
  needed: GPUSamplerBindingType,
  handle: number,
): boolean {
  const sampler = state.find(state.models.samplers, handle);
  if (sampler === null) return false;
  const { compare, magFilter, minFilter, mipmapFilter } = sampler.descriptor ?? {};
  const isFiltering = [magFilter, minFilter, mipmapFilter].includes('linear');
  const isFitting =
    (needed === 'comparison') === (compare !== undefined) && !(needed === 'non-filtering' && isFiltering);
  if (isFitting) return true;
  const names = { resource: nameOf(model), sampler: nameOf(sampler), binding, layout };
  return state.report('bind-group-sampler', { ...names, needed });
}

function checkTexture(
  draft: Draft,
  binding: number,
  { sampleType = 'float', viewDimension = '2d', multisampled = false }: GPUTextureBindingLayout,
  descriptor: TextureViewDescriptor,
): boolean {
  const view = resolveView(draft.state, descriptor);
  if (view === null) return false;
  const usage = TextureUsage.textureBinding;
  if (!draft.state.checkUsage(view.texture, usage, `binding ${binding} of ${nameOf(draft.model)}`))
    return false;
  const kind = (dimension: string, isMultisampled: boolean, type: string): string =>
    `${dimension}${isMultisampled ? ' multisampled' : ''} ${type}`;
  const isMultisampled = view.texture.samples > 1;
  const type = sampledType(draft.state, view);
  const isFitting =
    view.dimension === viewDimension && isMultisampled === multisampled && typeFits(type, sampleType);
  if (!isFitting) {
    const given = kind(view.dimension, isMultisampled, type);
    return textureFault(draft, binding, view, given, kind(viewDimension, multisampled, sampleType));
  }
  draft.textures.push({ view, scopeUse: ScopeUse.read, usage });
  return true;
}

/** What sampling the view gives; empty when these checks don't know the format. */
function sampledType(state: ValidationState, { info, aspect }: TextureView): string {
  if (info === undefined) return '';
  if (aspect === 'stencil-only' || (info.hasStencil && !info.hasDepth)) return 'uint';
  if (info.hasDepth) return info.hasStencil && aspect === 'all' ? 'depth and stencil' : 'depth';
  const isFiltered = info.sampleType === 'unfilterable-float' && state.hasFeature('float32-filterable');
  return isFiltered ? 'float' : info.sampleType;
}

function typeFits(given: string, needed: GPUTextureSampleType): boolean {
  if (given === needed || given === '') return true;
  return needed === 'unfilterable-float' && (given === 'float' || given === 'depth');
}

function checkStorageTexture(
  draft: Draft,
  binding: number,
  { access = 'write-only', format, viewDimension = '2d' }: GPUStorageTextureBindingLayout,
  descriptor: TextureViewDescriptor,
): boolean {
  const view = resolveView(draft.state, descriptor);
  if (view === null) return false;
  const usage = TextureUsage.storageBinding;
  if (!draft.state.checkUsage(view.texture, usage, `binding ${binding} of ${nameOf(draft.model)}`))
    return false;
  if (view.dimension !== viewDimension || view.format !== format || view.mips !== 1) {
    const given = `${view.dimension} ${view.format} with ${view.mips} mip levels`;
    return textureFault(draft, binding, view, given, `${viewDimension} ${format} with 1 mip level`);
  }
  draft.textures.push({ view, scopeUse: access === 'read-only' ? ScopeUse.read : ScopeUse.storage, usage });
  return true;
}

function textureFault(
  { state, model, layout }: Draft,
  binding: number,
  view: TextureView,
  given: string,
  needed: string,
): false {
  const names = { resource: nameOf(model), texture: nameOf(view.texture), binding, layout };
  return state.report('bind-group-texture', { ...names, given, needed });
}

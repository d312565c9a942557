/** Creating and destroying: descriptors against the rules and limits, handles against what is alive. */

import { readDouble } from '../../core/double-words.js';
import { countBindings } from '../commands/binding-counts.js';
import type {
  BindGroupLayoutDescriptor,
  BufferDescriptor,
  QuerySetDescriptor,
  SamplerDescriptor,
  TextureDescriptor,
} from '../commands/descriptors.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { describeHandle, handleIndex, handleKind } from '../commands/handles.js';
import { jsonAt, stringAt } from '../commands/record-fields.js';
import { DYNAMIC_PAGE_LABEL } from '../memory/dynamic-buffers.js';
import { formatInfo, storageFault, withoutSrgb } from './formats.js';
import { type Model, type ModelTable, nameOf, type TextureModel } from './models.js';
import { type Check, type LimitName, usageNames, type ValidationState } from './state.js';

/**
 * Puts the model of a new resource in its slot; null when another one is there. It counts as failed until
 * `isFailed` is cleared, so that a check which throws leaves a failed resource.
 */
export function createModel<M extends Model>(check: Check, table: ModelTable<M>, label: string): M | null {
  const { state, words, at } = check;
  const handle = words[at];
  if (handleKind(handle) !== table.kind) {
    state.reportMissing(table, handle);
    return null;
  }
  const other = table.slots[handleIndex(handle)];
  if (other?.isAlive) {
    state.report('handle-in-use', { resource: describeHandle(handle, label), other: nameOf(other) });
    return null;
  }
  const model = table.add(handle, label);
  model.isFailed = true;
  return model;
}

export function withinLimit(
  state: ValidationState,
  model: Model,
  what: string,
  value: number,
  limitName: LimitName,
  minimum = 0,
): boolean {
  const limit = state.limit(limitName);
  if (value >= minimum && value <= limit) return true;
  return state.report('limit-exceeded', { resource: nameOf(model), what, value, limit, name: limitName });
}

export function hasFeature(
  state: ValidationState,
  model: Model,
  what: string,
  feature: string | null,
): boolean {
  if (feature === null || state.hasFeature(feature)) return true;
  return state.report('feature-missing', { resource: nameOf(model), what, feature });
}

export function createBuffer(check: Check): boolean {
  const { state, words, at } = check;
  const { label, byteLength, usage } = jsonAt<BufferDescriptor>(words, at, 1);
  const model = createModel(check, state.models.buffers, label);
  if (model === null) return false;
  model.byteLength = byteLength;
  model.usage = usage;
  if (!withinLimit(state, model, 'a size in bytes of', byteLength, 'maxBufferSize')) return false;
  const fault = bufferUsageFault(usage);
  if (fault !== '') {
    const names = usageNames(model, usage);
    return state.report('buffer-usage', { resource: nameOf(model), usage: names, reason: fault });
  }
  model.usage = usage & BufferUsage.mapRead ? usage : usage | BufferUsage.copySource; // as the executor creates it
  if (label.startsWith(DYNAMIC_PAGE_LABEL)) model.writtenInList = new Int32Array(byteLength >> 2);
  model.isFailed = false;
  return true;
}

function bufferUsageFault(usage: number): string {
  const { mapRead, mapWrite, copySource, copyTarget } = BufferUsage;
  if (usage === 0) return 'nothing could be done with it';
  if (usage >= 0x400) return 'there is no such usage';
  if ((usage & mapRead) !== 0 && (usage & ~(mapRead | copyTarget)) !== 0)
    return 'mapRead goes only with copyTarget';
  if ((usage & mapWrite) !== 0 && (usage & ~(mapWrite | copySource)) !== 0)
    return 'mapWrite goes only with copySource';
  return '';
}

export function createTexture(check: Check): boolean {
  const { state, words, at } = check;
  const descriptor = jsonAt<TextureDescriptor>(words, at, 1);
  const { label, width, height, depthOrArrayLayers = 1, dimension = '2d', format, usage } = descriptor;
  const model = createModel(check, state.models.textures, label);
  if (model === null) return false;
  const { mipLevelCount = 1, sampleCount = 1, viewFormats = [] } = descriptor;
  Object.assign(model, { width, height, layers: depthOrArrayLayers, dimension, format, usage, viewFormats });
  model.mips = mipLevelCount;
  model.samples = sampleCount;
  model.info = formatInfo(format);
  model.isFailed = !textureIsFine(state, model);
  model.usage |= TextureUsage.copySource; // as the executor creates it
  return !model.isFailed;
}

/** What layouts bind, together. @param model a layout or a pipeline */
export function countsAreWithinLimits(
  state: ValidationState,
  model: Model,
  entries: BindGroupLayoutDescriptor['entries'],
): boolean {
  return countBindings(entries).every(({ what, count, limit }) =>
    withinLimit(state, model, `${what}:`, count, limit),
  );
}

function textureIsFine(state: ValidationState, model: TextureModel): boolean {
  const { width, height, layers, dimension, format, info, usage, mips } = model;
  const resource = nameOf(model);
  const sizeLimit = `maxTextureDimension${dimension.toUpperCase()}` as LimitName;
  const layerLimit = dimension === '3d' ? sizeLimit : 'maxTextureArrayLayers';
  if (!withinLimit(state, model, 'a width of', width, sizeLimit, 1)) return false;
  if (!withinLimit(state, model, 'a height of', height, sizeLimit, 1)) return false;
  if (!withinLimit(state, model, 'layers or a depth of', layers, layerLimit, 1)) return false;
  if (!hasFeature(state, model, `the format ${format}`, info?.feature ?? null)) return false;
  if (dimension === '1d' && (height !== 1 || layers !== 1)) {
    return state.report('texture-size', { resource, reason: 'a 1d texture has a height and depth of 1' });
  }
  const dimensionFault = faultOfDimension(state, model);
  if (dimensionFault !== '') {
    return state.report('texture-dimension', { resource, format, dimension, reason: dimensionFault });
  }
  if (info !== undefined && (width % info.blockWidth !== 0 || height % info.blockHeight !== 0)) {
    const reason = `${format} has blocks of ${info.blockWidth} × ${info.blockHeight}`;
    return state.report('texture-size', { resource, reason });
  }
  const largest = dimension === '3d' ? Math.max(width, height, layers) : Math.max(width, height);
  const limit = dimension === '1d' ? 1 : 32 - Math.clz32(largest);
  if (!(mips >= 1 && mips <= limit)) return state.report('texture-mips', { resource, count: mips, limit });
  const sampleFault = samplesFault(model);
  if (sampleFault !== '') {
    return state.report('texture-samples', { resource, count: model.samples, reason: sampleFault });
  }
  for (const viewFormat of model.viewFormats) {
    if (withoutSrgb(viewFormat) !== withoutSrgb(format)) {
      return state.report('view-formats', { resource, format: viewFormat, base: format });
    }
  }
  const usageFault = textureUsageFault(state, model);
  if (usageFault === '') return true;
  return state.report('texture-usage', { resource, usage: usageNames(model, usage), reason: usageFault });
}

function faultOfDimension(state: ValidationState, { dimension, info }: TextureModel): string {
  if (info === undefined || dimension === '2d') return '';
  if (info.hasDepth || info.hasStencil) return 'depth and stencil are 2d';
  if (info.blockWidth === 1) return '';
  const feature = `${info.feature}-sliced-3d`;
  const canBe =
    dimension === '3d' && info.feature !== 'texture-compression-etc2' && state.hasFeature(feature);
  return canBe ? '' : 'compressed textures are 2d here';
}

function samplesFault({ samples, mips, layers, dimension, info, usage }: TextureModel): string {
  if (samples === 1) return '';
  if (samples !== 4) return 'WebGPU has 1 or 4';
  if (mips !== 1) return 'it has several mip levels';
  if (layers !== 1 || dimension !== '2d') return 'only 2d textures of one layer can be multisampled';
  if ((usage & TextureUsage.storageBinding) !== 0) return "storage can't be multisampled";
  if ((usage & TextureUsage.renderAttachment) === 0) return "it can't be drawn into (usage renderAttachment)";
  return info?.isMultisampled === false ? `${info.format} can't be multisampled` : '';
}

function textureUsageFault(state: ValidationState, { usage, info, format, dimension }: TextureModel): string {
  if (usage === 0) return 'nothing could be done with it';
  if (usage >= 0x40) return 'there is no such usage';
  if ((usage & TextureUsage.renderAttachment) !== 0) {
    if (info?.isRenderable === false) return `${format} can't be drawn into`;
    if (dimension === '1d') return "a 1d texture can't be drawn into";
  }
  if (info === undefined || (usage & TextureUsage.storageBinding) === 0) return '';
  return storageFault(info, 'texture', (name) => state.hasFeature(name));
}

export function createSampler(check: Check): boolean {
  const { state, words, at } = check;
  const descriptor = jsonAt<SamplerDescriptor>(words, at, 1);
  const model = createModel(check, state.models.samplers, descriptor.label);
  if (model === null) return false;
  model.descriptor = descriptor;
  const fault = samplerFault(descriptor);
  if (fault !== '') return state.report('sampler-range', { resource: nameOf(model), what: fault });
  model.isFailed = false;
  return true;
}

function samplerFault(descriptor: SamplerDescriptor): string {
  const { lodMinClamp = 0, lodMaxClamp = 32, maxAnisotropy = 1 } = descriptor;
  if (lodMinClamp < 0) return `a lodMinClamp of ${lodMinClamp}, below 0`;
  if (lodMaxClamp < lodMinClamp)
    return `a lodMaxClamp of ${lodMaxClamp}, below its lodMinClamp of ${lodMinClamp}`;
  if (maxAnisotropy < 1) return `a maxAnisotropy of ${maxAnisotropy}, below 1`;
  const { magFilter, minFilter, mipmapFilter } = descriptor;
  const isLinear = [magFilter, minFilter, mipmapFilter].every((filter) => filter === 'linear');
  return maxAnisotropy > 1 && !isLinear ? 'a maxAnisotropy above 1 without all filters being linear' : '';
}

export function createShaderModule(check: Check): boolean {
  const { state, words, at } = check;
  const model = createModel(check, state.models.shaders, stringAt(words, at, 1));
  if (model === null) return false;
  model.isFailed = false;
  return true;
}

export function createQuerySet(check: Check): boolean {
  const { state, words, at } = check;
  const { label, type, count } = jsonAt<QuerySetDescriptor>(words, at, 1);
  const model = createModel(check, state.models.querySets, label);
  if (model === null) return false;
  model.type = type;
  model.count = count;
  const feature = type === 'timestamp' ? 'timestamp-query' : null;
  if (!hasFeature(state, model, 'timestamps', feature)) return false;
  if (!(count >= 0 && count <= 4096)) {
    const limit = { limit: 4096, name: 'WebGPU, queries of a set' };
    return state.report('limit-exceeded', {
      resource: nameOf(model),
      what: 'a count of',
      value: count,
      ...limit,
    });
  }
  model.isFailed = false;
  return true;
}

export function createFence(check: Check): boolean {
  const { state, words, at } = check;
  const model = createModel(check, state.models.fences, stringAt(words, at, 3));
  if (model === null) return false;
  model.value = readDouble(words, at + 1);
  model.isFailed = false;
  return true;
}

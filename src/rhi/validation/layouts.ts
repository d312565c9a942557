/** Creating bind group layouts, and when two of them are the same. */
import { type BindGroupLayoutDescriptor, ShaderStage } from '../commands/descriptors.js';
import { jsonAt } from '../commands/record-fields.js';
import { formatInfo, storageFault } from './formats.js';
import { nameOf } from './models.js';
import { countsAreWithinLimits, createModel, withinLimit } from './resources.js';
import type { Check, ValidationState } from './state.js';

const ALL_STAGES = ShaderStage.vertex | ShaderStage.fragment | ShaderStage.compute;

export function createBindGroupLayout(check: Check): boolean {
  const { state, words, at } = check;
  const { label, entries } = jsonAt<BindGroupLayoutDescriptor>(words, at, 1);
  const model = createModel(check, state.models.layouts, label);
  if (model === null) return false;
  const sorted = [...entries].sort((a, b) => a.binding - b.binding);
  model.entries = sorted;
  model.isEmpty = entries.length === 0;
  const resource = nameOf(model);
  const seen = new Set<number>();
  for (const entry of sorted) {
    const { binding, visibility, buffer, sampler, texture, storageTexture, externalTexture } = entry;
    if (seen.has(binding)) return state.report('layout-binding', { resource, binding });
    seen.add(binding);
    const what = 'the binding number';
    if (!withinLimit(state, model, what, binding + 1, 'maxBindingsPerBindGroup', 1)) return false;
    const kinds = [buffer, sampler, texture, storageTexture, externalTexture];
    const count = kinds.filter((kind) => kind !== undefined).length;
    if (count !== 1) return state.report('layout-entry', { resource, count, binding });
    const writesBuffer = buffer?.type === 'storage';
    const writesTexture = storageTexture !== undefined && storageTexture.access !== 'read-only';
    if ((writesBuffer || writesTexture) && (visibility & ShaderStage.vertex) !== 0) {
      return state.report('layout-visibility', { resource, binding });
    }
    if ((visibility & ~ALL_STAGES) !== 0) {
      return state.report('layout-stages', { resource, visibility, binding });
    }
    if (texture?.multisampled) {
      const reason = multisampledFault(texture);
      if (reason !== '') return state.report('layout-multisampled', { resource, binding, reason });
    }
    if (storageTexture !== undefined) {
      const reason = storageTextureFault(state, storageTexture);
      if (reason !== '') return state.report('layout-storage-texture', { resource, binding, reason });
    }
  }
  if (!countsAreWithinLimits(state, model, sorted)) return false;
  model.id = state.idOf(`layout ${JSON.stringify(sorted.map(settled))}`);
  model.isFailed = false;
  return true;
}

function multisampledFault({ sampleType = 'float', viewDimension = '2d' }: GPUTextureBindingLayout): string {
  if (viewDimension !== '2d') return `its viewDimension is ${viewDimension}, and only 2d is multisampled`;
  return sampleType === 'float' ? 'its sampleType is float; unfilterable-float is what there is' : '';
}

function storageTextureFault(
  state: ValidationState,
  { format, access = 'write-only', viewDimension = '2d' }: GPUStorageTextureBindingLayout,
): string {
  if (viewDimension.startsWith('cube')) return `its viewDimension is ${viewDimension}`;
  const info = formatInfo(format);
  return info === undefined ? '' : storageFault(info, access, (name) => state.hasFeature(name));
}

/** An entry with its defaults, so that layouts that say the same in other words are equal. */
function settled(entry: GPUBindGroupLayoutEntry): unknown[] {
  const { binding, visibility, buffer, sampler, texture, storageTexture } = entry;
  return [
    binding,
    visibility,
    buffer && [buffer.type ?? 'uniform', buffer.hasDynamicOffset ?? false, buffer.minBindingSize ?? 0],
    sampler && [sampler.type ?? 'filtering'],
    texture && [texture.sampleType ?? 'float', texture.viewDimension ?? '2d', texture.multisampled ?? false],
    storageTexture && [
      storageTexture.access ?? 'write-only',
      storageTexture.format,
      storageTexture.viewDimension ?? '2d',
    ],
  ];
}

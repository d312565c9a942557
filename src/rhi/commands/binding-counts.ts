/**
 * How many bindings of a kind each shader stage sees, and how many have dynamic offsets: what a device's limits are told
 * for a bind group layout, and for all layouts of a pipeline together. Pure.
 *
 *   entries   uniform │ vertex fragment          uniform buffers    vertex 1  fragment 2  compute 0
 *             uniform │ fragment           ─►    samplers           vertex 0  fragment 1  compute 0
 *             sampler │ fragment                 dynamic uniform buffers 0
 */
import { ShaderStage } from './descriptors.js';

export interface BindingCount {
  /** `uniform buffers in the fragment stage`. */
  readonly what: string;
  readonly limit: BindingLimit;
  readonly count: number;
}

/** Names of the device's limits. */
export type BindingLimit =
  | 'maxUniformBuffersPerShaderStage'
  | 'maxStorageBuffersPerShaderStage'
  | 'maxSampledTexturesPerShaderStage'
  | 'maxSamplersPerShaderStage'
  | 'maxStorageTexturesPerShaderStage'
  | 'maxDynamicUniformBuffersPerPipelineLayout'
  | 'maxDynamicStorageBuffersPerPipelineLayout';

interface Kind {
  readonly name: string;
  readonly limit: BindingLimit;
  readonly isOne: (entry: GPUBindGroupLayoutEntry) => boolean;
}

const isUniform = ({ buffer }: GPUBindGroupLayoutEntry): boolean =>
  buffer !== undefined && (buffer.type ?? 'uniform') === 'uniform';
const isStorage = (entry: GPUBindGroupLayoutEntry): boolean =>
  entry.buffer !== undefined && !isUniform(entry);

const PER_STAGE: readonly Kind[] = [
  { name: 'uniform buffers', limit: 'maxUniformBuffersPerShaderStage', isOne: isUniform },
  { name: 'storage buffers', limit: 'maxStorageBuffersPerShaderStage', isOne: isStorage },
  {
    name: 'sampled textures',
    limit: 'maxSampledTexturesPerShaderStage',
    isOne: ({ texture }) => texture !== undefined,
  },
  { name: 'samplers', limit: 'maxSamplersPerShaderStage', isOne: ({ sampler }) => sampler !== undefined },
  {
    name: 'storage textures',
    limit: 'maxStorageTexturesPerShaderStage',
    isOne: ({ storageTexture }) => storageTexture !== undefined,
  },
];
const DYNAMIC: readonly Kind[] = [
  {
    name: 'uniform buffers with a dynamic offset (hasDynamicOffset)',
    limit: 'maxDynamicUniformBuffersPerPipelineLayout',
    isOne: isUniform,
  },
  {
    name: 'storage buffers with a dynamic offset (hasDynamicOffset)',
    limit: 'maxDynamicStorageBuffersPerPipelineLayout',
    isOne: isStorage,
  },
];

/** @param entries of one layout, or of all of a pipeline */
export function countBindings(entries: readonly GPUBindGroupLayoutEntry[]): BindingCount[] {
  const counts: BindingCount[] = [];
  for (const { name, limit, isOne } of PER_STAGE) {
    const ofKind = entries.filter(isOne);
    for (const [stage, bit] of Object.entries(ShaderStage)) {
      const count = ofKind.filter(({ visibility }) => (visibility & bit) !== 0).length;
      counts.push({ what: `${name} in the ${stage} stage`, limit, count });
    }
  }
  for (const { name, limit, isOne } of DYNAMIC) {
    const count = entries.filter((entry) => entry.buffer?.hasDynamicOffset === true && isOne(entry)).length;
    counts.push({ what: name, limit, count });
  }
  return counts;
}

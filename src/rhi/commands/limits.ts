/**
 * Checks descriptors against the device's limits. The recorder checks them in the creating call, because the executor
 * would find a violation only when the list runs. Limits that the capabilities do not name are not checked.
 *
 *   createTexture({ width: 9000 })  ─► checkLimits ─► limit-exceeded: "shadow map" … maxTextureDimension2D is 8192
 */
import { RhiError } from '../../core/errors.js';
import { checkOption } from '../../core/options/check-options.js';
import { isObject } from '../../core/options/shown-value.js';
import {
  type BindGroupLayoutDescriptor,
  type BindGroupLayoutHandle,
  type Descriptors,
  type RhiCapabilities,
  ShaderStage,
  type TextureDescriptor,
} from './descriptors.js';
import { kindName } from './handles.js';

/** Maximum number of queries in a set, which WebGPU fixes for all devices. */
const MAXIMUM_QUERIES = 4096;

export type LimitedDescriptors = Omit<Descriptors, 'sampler' | 'shaderModule'>;

/** Returns the descriptor of a bind group layout. An unknown layout (undefined) counts as empty. */
type FindLayout = (layout: BindGroupLayoutHandle) => BindGroupLayoutDescriptor | undefined;

/** Checks one value. @param maximum largest valid value; default: the device's value of the limit */
type Check = (what: string, value: number, limit: string, minimum?: number, maximum?: number) => void;

type LayoutEntries = BindGroupLayoutDescriptor['entries'];

const CHECKS: {
  readonly [Kind in keyof LimitedDescriptors]: (
    descriptor: LimitedDescriptors[Kind],
    check: Check,
    limits: RhiCapabilities['limits'],
    findLayout: FindLayout,
  ) => void;
} = {
  buffer: ({ byteLength }, check) => check('byteLength', byteLength, 'maxBufferSize'),
  texture: checkTexture,
  bindGroupLayout: ({ entries }, check, { maxBindingsPerBindGroup = Number.POSITIVE_INFINITY }) => {
    for (const { binding } of entries)
      check('binding', binding, 'maxBindingsPerBindGroup', 0, maxBindingsPerBindGroup - 1);
    checkBindings(entries, check);
  },
  bindGroup: ({ entries }, check, limits) => {
    const { maxStorageBufferBindingSize = Number.POSITIVE_INFINITY, maxUniformBufferBindingSize = 0 } =
      limits;
    const maximum = Math.max(maxStorageBufferBindingSize, maxUniformBufferBindingSize);
    for (const entry of entries) {
      const byteLength = 'buffer' in entry ? (entry.byteLength ?? 0) : 0;
      check('binding’s byteLength', byteLength, 'maxStorageBufferBindingSize', 0, maximum);
    }
  },
  graphicsPipeline: ({ bindGroupLayouts, vertex, fragment }, check, _, findLayout) => {
    checkLayouts(bindGroupLayouts, check, findLayout);
    const buffers = vertex.buffers ?? [];
    check('number of vertex buffers', buffers.length, 'maxVertexBuffers');
    for (const buffer of buffers)
      check('vertex stride', buffer?.arrayStride ?? 0, 'maxVertexBufferArrayStride');
    const attributes = buffers.flatMap((buffer) => [...(buffer?.attributes ?? [])]);
    check('number of vertex attributes', attributes.length, 'maxVertexAttributes');
    check('number of color targets', fragment?.targets.length ?? 0, 'maxColorAttachments');
  },
  computePipeline: ({ bindGroupLayouts }, check, _, findLayout) =>
    checkLayouts(bindGroupLayouts, check, findLayout),
  querySet: ({ count }, check) => check('count', count, 'the limit of all devices', 0, MAXIMUM_QUERIES),
};

export const isLimited = (kind: unknown): kind is keyof LimitedDescriptors =>
  typeof kind === 'string' && Object.hasOwn(CHECKS, kind);

/**
 * Checks a descriptor against the limits of a device.
 * @param descriptor a descriptor with all required fields, which `create…` has checked before
 * @param findLayout returns a layout of a pipeline; the bindings of all its layouts are counted together
 * @throws RhiError `limit-exceeded`, naming the object, the value and the limit; OptionError `option-invalid` for an
 *   invalid kind, descriptor or capabilities
 */
export function checkLimits<Kind extends keyof LimitedDescriptors>(
  kind: Kind,
  descriptor: LimitedDescriptors[Kind],
  capabilities: Pick<RhiCapabilities, 'limits'>,
  findLayout: FindLayout = () => undefined,
): void {
  const kinds = Object.keys(CHECKS).join(', ');
  checkOption('The kind of checkLimits', kind, isLimited(kind), `one of ${kinds}`);
  checkOption(
    'The descriptor of checkLimits',
    descriptor,
    isObject(descriptor),
    'a descriptor for a create… call',
  );
  const hasLimits = isObject(capabilities) && isObject(capabilities.limits);
  checkOption('The capabilities of checkLimits', capabilities, hasLimits, 'the capabilities of an RHI');
  const { limits } = capabilities;
  const check: Check = (what, value, limit, minimum = 0, maximum = limits[limit]) => {
    if (maximum === undefined || (value >= minimum && value <= maximum)) return;
    throw new RhiError(
      'limit-exceeded',
      `The ${kindName(kind)} "${descriptor.label}" has a ${what} of ${value}; this device allows ${minimum} to ${maximum} (${limit}). Use a value in this range.`,
    );
  };
  CHECKS[kind](descriptor, check, limits, findLayout);
}

function checkTexture(texture: TextureDescriptor, check: Check): void {
  const { width, height, depthOrArrayLayers = 1, dimension = '2d', mipLevelCount = 1 } = texture;
  const limit = `maxTextureDimension${dimension.toUpperCase()}`;
  check('width', width, limit, 1);
  if (dimension !== '1d') check('height', height, limit, 1);
  const is3d = dimension === '3d';
  check('depthOrArrayLayers', depthOrArrayLayers, is3d ? limit : 'maxTextureArrayLayers', 1);
  const longest = Math.max(width, height, is3d ? depthOrArrayLayers : 1);
  const mipLevels = dimension === '1d' ? 1 : 1 + Math.floor(Math.log2(longest));
  check('mipLevelCount', mipLevelCount, 'its size', 1, mipLevels);
}

function checkLayouts(layouts: readonly BindGroupLayoutHandle[], check: Check, findLayout: FindLayout): void {
  check('number of bind groups', layouts.length, 'maxBindGroups');
  checkBindings(
    layouts.flatMap((layout) => findLayout(layout)?.entries ?? []),
    check,
  );
}

const isUniform = ({ buffer }: GPUBindGroupLayoutEntry): boolean => (buffer?.type ?? 'uniform') === 'uniform';

/** Kinds of bindings: name in messages, name as a part of limit names, and a test of an entry. */
const BINDINGS: readonly [name: string, limit: string, isOne: (entry: GPUBindGroupLayoutEntry) => boolean][] =
  [
    ['uniform buffers', 'UniformBuffers', (entry) => entry.buffer !== undefined && isUniform(entry)],
    ['storage buffers', 'StorageBuffers', (entry) => entry.buffer !== undefined && !isUniform(entry)],
    ['sampled textures', 'SampledTextures', ({ texture }) => texture !== undefined],
    ['samplers', 'Samplers', ({ sampler }) => sampler !== undefined],
    ['storage textures', 'StorageTextures', ({ storageTexture }) => storageTexture !== undefined],
  ];

/**
 * For each kind of binding, checks the number of bindings that a shader stage sees and the number with dynamic offsets.
 * @param entries of one layout, or of all layouts of a pipeline
 */
function checkBindings(entries: LayoutEntries, check: Check): void {
  for (const [name, limit, isOne] of BINDINGS) {
    const ofKind = entries.filter(isOne);
    for (const [stage, bit] of Object.entries(ShaderStage)) {
      const seen = ofKind.filter(({ visibility }) => (visibility & bit) !== 0);
      check(`number of ${name} in the ${stage} stage`, seen.length, `max${limit}PerShaderStage`);
    }
    const dynamic = ofKind.filter(({ buffer }) => buffer?.hasDynamicOffset === true);
    const what = `number of ${name} with a dynamic offset (hasDynamicOffset)`;
    check(what, dynamic.length, `maxDynamic${limit}PerPipelineLayout`);
  }
}
